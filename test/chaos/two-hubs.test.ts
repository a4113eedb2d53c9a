import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ccm, ccmExecutable, daemonStatus, whyNoCcm } from "../hosts/harness/ccm.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { mirrorNames } from "../hosts/harness/registry-files.ts";
import { StandInSession } from "../hosts/harness/stand-in-session.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";

const timeout = 400_000;
const PAIR_MS = 120_000;
const MEGABYTES = 12;
/** Without the slow one it takes milliseconds; a busy machine takes a second. */
const QUICK_MS = 2_000;

test("L10 two machines with traffic, one stopped with megabytes on the way to it: the other does not wait", {
  skip: whyNoCcm(),
  timeout,
}, async (context) => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  const server = await network.host("server");
  const gpu = await network.host("gpu");
  const webUi = await StandInSession.start(network, laptop, "web-ui");
  const api = await StandInSession.start(network, server, "api");
  const train = await StandInSession.start(network, gpu, "train");
  laptop.installCcm(ccmExecutable);
  await ccm(laptop, "init", "--label", "laptop");
  for (const name of ["server", "gpu"]) {
    const paired = await laptop.exec("ccm", ["pair", name], { timeoutMs: PAIR_MS });
    assert.equal(paired.code, 0, paired.stderr);
  }
  await waitFor(() => mirrorNames(laptop).join() === "gpu-train,server-api", { what: "both mirrors", deadlineMs: 60_000 });

  const slow = daemonStatus(server).daemon.pid;
  await server.kill(slow, "SIGSTOP");
  const large = Array.from({ length: MEGABYTES * 2 }, (_, index) => `${index} ${"x".repeat(500_000)}`);
  // An order to a stand-in session takes 8 MB at most.
  for (let sent = 0; sent < large.length; sent += 8) await webUi.send("server-api", large.slice(sent, sent + 8));
  const delays: number[] = [];
  for (let count = 0; count < 40; count += 1) {
    const begunMs = performance.now();
    await webUi.send("gpu-train", `message ${count}`);
    await train.waitMessage(`message ${count}`, QUICK_MS);
    delays.push(performance.now() - begunMs);
  }
  context.diagnostic(`beside ${MEGABYTES} MB that wait, 40 messages took ${Math.round(Math.max(...delays))} ms at most`);
  await server.kill(slow, "SIGCONT");
  await waitFor(() => api.messages().length === large.length, { what: "all of the large ones", deadlineMs: 60_000 });
  assert.deepEqual(
    api.messages().map(({ envelope }) => envelope.body.slice(0, 10)),
    large.map((text) => text.slice(0, 10)),
  );
});
