import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { ccmExecutable, daemonLog, daemonStatus, whyNoCcm } from "./harness/ccm.ts";
import { createNetwork } from "./harness/network.ts";
import { mirrorNames } from "./harness/registry-files.ts";
import { StandInSession } from "./harness/stand-in-session.ts";
import { waitFor } from "./harness/wait-for.ts";

const timeout = 180_000;
const PAIR_MS = 120_000;

test("R6 somebody else's /tmp/cc-socks and a link in the place of the second choice: named, never touched, and used once they are gone", {
  skip: whyNoCcm(),
  timeout,
}, async () => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop", { runtimeDirectory: false });
  const server = await network.host("server");
  await StandInSession.start(network, server, "api");
  const script =
    "mkdir -m 755 /tmp/cc-socks && mkdir /tmp/elsewhere && chmod 777 /tmp/elsewhere && ln -s /tmp/elsewhere /tmp/cc-socks-1500";
  assert.equal((await laptop.exec("/bin/sh", ["-c", script], { user: "root" })).code, 0);
  const look = async () =>
    (await laptop.exec("/bin/sh", ["-c", "stat -c '%n %F %U %a' /tmp/cc-socks /tmp/cc-socks-1500; ls /tmp/cc-socks /tmp/elsewhere"]))
      .stdout;
  const before = await look();

  laptop.installCcm(ccmExecutable);
  const paired = await laptop.exec("/bin/sh", ["-c", "ccm init --label laptop && ccm pair server"], { timeoutMs: PAIR_MS });
  assert.equal(paired.code, 0, paired.stderr);
  await waitFor(() => daemonLog(laptop).includes("no safe directory for inboxes"), {
    what: "the refusal in the log",
    otherwise: () => daemonLog(laptop),
  });
  assert.match(daemonLog(laptop), /\/tmp\/cc-socks (belongs to uid 0|lies in).*\/tmp\/cc-socks-1500 is a symlink/);
  assert.deepEqual(mirrorNames(laptop), []);
  assert.equal(daemonStatus(laptop).peers[0]?.state, "linked");
  assert.equal(await look(), before);

  assert.equal((await laptop.exec("/bin/sh", ["-c", "rm -r /tmp/cc-socks /tmp/cc-socks-1500"], { user: "root" })).code, 0);
  await waitFor(() => mirrorNames(laptop).join() === "server-api", {
    what: "the mirror",
    deadlineMs: 45_000,
    otherwise: () => daemonLog(laptop),
  });
});
