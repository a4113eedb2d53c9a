import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PeerStatus } from "../../../src/daemon/control-protocol.ts";
import { ChatHome } from "../../unit/cli/fixtures/chat-home.ts";
import { fakeDaemon, linked, status } from "../../unit/cli/fixtures/fake-daemon.ts";

test("status --check fails unless every paired machine is linked", async (context) => {
  const home = new ChatHome(context);
  home.writeConfig({ peers: [{ host: "me@server.example", label: "server" }] });
  let peers: readonly PeerStatus[] = [linked];
  await fakeDaemon(context, home, () => ({ ok: true, status: { ...status, peers } }));
  assert.equal((await home.ccm(["status", "--check"])).exitCode, 0);
  peers = [{ ...linked, state: "waiting" }];
  assert.equal((await home.ccm(["status", "--check", "--format", "prometheus"])).exitCode, 53);
  assert.equal((await home.ccm(["status"])).exitCode, 0);
  peers = [];
  assert.equal((await home.ccm(["status", "--check", "--json"])).exitCode, 53);
});
