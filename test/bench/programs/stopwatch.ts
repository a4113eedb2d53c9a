/** `node stopwatch.mjs`: times commands where it runs, so that the way there is not in the time. */
import { answerOrders } from "../support/orders.ts";
import { timeCommands, timeStarts } from "../support/time-commands.ts";

export type StopwatchOrder =
  /** Runs each command to its end, in turns; the times of each in ms. */
  | { readonly op: "run"; readonly commands: readonly (readonly string[])[]; readonly rounds: number }
  /** Starts a command many times at once; the time in ms until all have written a line. Ends them. */
  | { readonly op: "start"; readonly command: readonly string[]; readonly count: number };

answerOrders<StopwatchOrder>((order) =>
  order.op === "run" ? timeCommands(order.commands, order.rounds, process.env) : timeStarts(order.command, order.count, process.env),
);
