/** `node stopwatch.mjs`: times commands where it runs, so that the way there is not in the time. */
import { openPeer } from "../../../src/claude/peer.ts";
import { resolvePaths } from "../../../src/core/paths.ts";
import { answerOrders } from "../support/orders.ts";
import { timeCommands, timeStarts } from "../support/time-commands.ts";

export type StopwatchOrder =
  /** Runs each command to its end, in turns; the times of each in ms. */
  | { readonly op: "run"; readonly commands: readonly (readonly string[])[]; readonly rounds: number }
  /** Starts a command many times at once; the time in ms until all have written a line. Ends them. */
  | { readonly op: "start"; readonly command: readonly string[]; readonly count: number }
  /** Becomes a session of this name, so that what it runs is that session's. */
  | { readonly op: "join"; readonly name: string };

answerOrders<StopwatchOrder>(async (order) => {
  if (order.op === "run") return timeCommands(order.commands, order.rounds, process.env);
  if (order.op === "start") return timeStarts(order.command, order.count, process.env);
  const { claudeConfig } = resolvePaths();
  const record = { name: order.name, cwd: process.cwd(), version: "2.1.332" };
  const peer = await openPeer({ claudeConfig, env: process.env, record, onFrame: () => {}, onProblem: () => {} });
  process.on("exit", () => peer.closeSync());
  return undefined;
});
