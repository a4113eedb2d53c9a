import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import { hostname } from "node:os";
import { test } from "node:test";
import { resolvePaths } from "../../../src/core/paths.ts";
import { connectOrStartDaemon } from "../../../src/daemon/ensure-daemon.ts";
import { takeKernelLock } from "../../../src/daemon/kernel-lock.ts";
import { refuseSharedHome } from "../../../src/daemon/shared-home.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("a home that another machine's daemon uses is named as shared, with what to do, instead of a daemon that does not start", async (t) => {
  const environment = { HOME: temporaryDirectory(t) };
  const paths = resolvePaths(environment);
  fs.mkdirSync(paths.state, { recursive: true });
  const tell = (host: string, running = true) =>
    fs.writeFileSync(paths.statusFile, JSON.stringify({ running, daemon: { pid: 1, hostname: host } }));
  tell("gpu-node-7");
  // Crashed there, or the lock of a network file system that keeps none: it is not running as far as can be known.
  refuseSharedHome(paths);
  const lock = takeKernelLock(paths.lockFile, { waitMs: 0 });
  await assert.rejects(connectOrStartDaemon(paths, environment), {
    code: "state_unusable",
    message: /the daemon of gpu-node-7 keeps its state in .*, which this machine shares/,
    hint: /XDG_STATE_HOME and XDG_CONFIG_HOME/,
  });
  for (const [host, running] of [
    [hostname(), true],
    ["gpu-node-7", false],
  ] as const) {
    tell(host, running);
    refuseSharedHome(paths);
  }
  fs.writeFileSync(paths.statusFile, "{");
  refuseSharedHome(paths);
  lock?.release();
});
