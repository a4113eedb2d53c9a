import fs from "node:fs";
import { keyFilePath } from "../../claude/key-file.ts";
import { isAlive } from "../../claude/process-identity.ts";
import type { Check } from "../check.ts";
import { HOLD_ORDER } from "../model-turn.ts";
import { mustEqual, mustHold } from "../outcome.ts";
import { until } from "../until.ts";
import { subscribe, waitNotice } from "./idle.ts";

/** The last that `passing` does. */
export const endingChecks: readonly Check[] = [
  {
    name: "idle.exited",
    lane: "passing",
    relies: "a session that ends before it is idle says so: state exited",
    async run({ passing, friend }) {
      await friend.send(passing.target, `${HOLD_ORDER} to the end`, { fromMode: "prompting" });
      await passing.waitHeard("to the end");
      const subscription = await subscribe(friend, passing);
      process.kill(passing.target.pid, "SIGTERM");
      mustEqual((await waitNotice(friend, subscription)).state, "exited", "the state");
    },
  },
  {
    name: "registry.swept",
    lane: "passing",
    relies: "a session that ends takes its record, key and socket along",
    async run({ passing, home, signal }) {
      const { pid, socketPath } = passing.started;
      await until(() => !isAlive(pid), { what: "its process to end", signal });
      const left = [passing.recordFile, keyFilePath(home.claudeConfig, pid, socketPath), socketPath].filter((file) => fs.existsSync(file));
      mustHold(left.length === 0, `it left ${left.join(", ")}`);
    },
  },
];
