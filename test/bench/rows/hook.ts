import { ccm, ccmExecutable, whyNoCcm } from "../../hosts/harness/ccm.ts";
import { createNetwork } from "../../hosts/harness/network.ts";
import { readRecords } from "../../hosts/harness/registry-files.ts";
import type { StopwatchOrder } from "../programs/stopwatch.ts";
import type { Measurement, Row } from "../row.ts";
import { emptyExecutable } from "../support/empty-executable.ts";
import { HostProgram } from "../support/host-program.ts";

const ROUNDS = 40;
const EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse"] as const;
const TASK = "mend the login page";
const INPUT = "hook.json";

/** The wall time of a hook of a registered session, while the daemon runs. */
export const row: Row = { name: "hook", unavailable: whyNoCcm, run: measure };

async function measure(): Promise<readonly Measurement[]> {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  laptop.installCcm(ccmExecutable);
  using empty = await emptyExecutable();
  await ccm(laptop, "init", "--label", "laptop");
  await ccm(laptop, "up");
  const stopwatch = await HostProgram.start<StopwatchOrder>(network, laptop, "stopwatch");
  await stopwatch.ask({ op: "join", name: "web-ui" });
  const session = readRecords(laptop).find(({ name }) => name === "web-ui");
  const input = {
    session_id: session?.sessionId,
    cwd: laptop.home,
    prompt: TASK,
    permission_mode: "default",
    tool_name: "Bash",
  };
  laptop.putFile(INPUT, JSON.stringify(input));
  const reading = (command: string) => ["sh", "-c", `exec ${command} < ${laptop.home}/${INPUT}`];
  const commands = [reading(empty.file), ...EVENTS.map((event) => reading(`${ccmExecutable} hook ${event}`))];
  await stopwatch.ask({ op: "run", commands, rounds: 2 });
  const [floor = [], ...hooks] = await stopwatch.ask<number[][]>({ op: "run", commands, rounds: ROUNDS });
  if (!(await ccm(laptop, "roster")).includes(TASK)) throw new Error("the hooks that were timed did nothing");
  return EVENTS.map((event, index) => ({
    what: `ccm hook ${event}`,
    unit: "ms",
    samples: hooks[index] ?? [],
    floor: { what: "an empty executable", samples: floor },
    target: { below: 1.3, of: "floor" },
  }));
}
