import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { bundleProgram } from "../hosts/harness/bundle-fixture.ts";
import { ccmExecutable, daemonLog, daemonStatus, whyNoCcm } from "../hosts/harness/ccm.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { mirrorNames, registryRemains } from "../hosts/harness/registry-files.ts";
import { StandInSession } from "../hosts/harness/stand-in-session.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";

const skip = whyNoCcm();
const timeout = 300_000;
const PAIR_MS = 120_000;
/** 300 processes start on a machine that may have one core to spare. */
const CROWD_MS = 180_000;

test("R10 L9 300 sessions start within an instant: all are listed, once each, and a message of each at once arrives once", {
  skip,
  timeout,
}, async (context) => {
  const count = 300;
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  const api = await StandInSession.start(network, server, "api");
  laptop.installCcm(ccmExecutable);
  const paired = await laptop.exec("/bin/sh", ["-c", "ccm init --label laptop && ccm pair server"], { timeoutMs: PAIR_MS });
  assert.equal(paired.code, 0, paired.stderr);
  const program = await bundleProgram(network, path.join(import.meta.dirname, "fixtures", "crowd.ts"));
  const crowd = laptop.spawn(network.node, [program, String(count)]);
  const [, startMs = ""] = await crowd.waitOutput(/ready (\d+)/, 60_000);
  const startedMs = performance.now();
  const expected = Array.from({ length: count }, (_, index) => `laptop-c${index}`).sort();
  const shown = () => JSON.stringify(mirrorNames(server));
  await waitFor(() => shown() === JSON.stringify(expected), {
    what: `${count} mirrors`,
    deadlineMs: CROWD_MS,
    pollMs: 500,
    otherwise: () => `${mirrorNames(server).length}\n${daemonLog(server).slice(-3_000)}`,
  });
  const listedMs = performance.now() - startedMs;
  crowd.stdin.write("go server-api\n");
  const [sent, ok = ""] = await crowd.waitOutput(/sent (\d+) failed \d+ ms \d+/, CROWD_MS);
  await waitFor(() => api.messages().length >= count, {
    what: `${count} messages`,
    deadlineMs: CROWD_MS,
    otherwise: () => `${api.messages().length}\n${daemonLog(laptop).slice(-3_000)}`,
  });
  assert.equal(Number(ok), count);
  const heard = api.messages().map(({ envelope }) => [envelope.fromName, envelope.body].join(": "));
  assert.deepEqual(heard.sort(), expected.map((name) => `${name}: from ${name.replace("laptop-", "")}`).sort());
  context.diagnostic(`${count} records in ${startMs} ms, all listed after ${(listedMs / 1000).toFixed(1)} s; ${sent}`);
  crowd.stdin.end();
  await waitFor(() => mirrorNames(server).length === 0 && registryRemains(server).length === 0, {
    what: "all to have left",
    deadlineMs: CROWD_MS,
    pollMs: 500,
  });
  assert.equal(daemonStatus(server).peers[0]?.state, "linked");
});
