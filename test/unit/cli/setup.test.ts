import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePeer, withPeer } from "../../../src/cli/pair/choose-peer.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

test("init says what the machine is called, where that is written, and what is next", async (context) => {
  const home = new ChatHome(context);
  const first = await home.ccm(["init", "--label", "laptop"]);
  const noHooks = "  no hooks: there is no claude on PATH (ccm init --hooks=settings does without it)\n";
  const wrote = "  wrote ~/.config/claude-code-message/config.json\n";
  assert.equal(first.stdout, `This machine is called laptop.\n${wrote}${noHooks}Next: ccm pair HOST\n`);
  assert.deepEqual(home.readConfig(), { label: "laptop" });
  const again = await home.ccm(["init"]);
  assert.equal(again.stdout, `This machine is called laptop already.\n${noHooks}Next: ccm pair HOST\n`);
  const dry = await home.ccm(["init", "--label", "other", "--hooks=settings", "--dry-run"]);
  assert.match(dry.stdout, /^would write .*called other\nwould put the hooks into ~\/\.claude\/settings\.json\n$/);
  assert.deepEqual(home.readConfig(), { label: "laptop" });
});

test("pairing again keeps the label; a new one replaces it; another machine's is refused", () => {
  const peers = [
    { host: "me@server.example:22", label: "server" },
    { host: "other", label: "other" },
  ];
  assert.deepEqual(choosePeer("me@server.example:22", {}, peers), peers[0]);
  assert.deepEqual(withPeer(peers, choosePeer("me@server.example:22", { label: "prod" }, peers))[0], {
    host: "me@server.example:22",
    label: "prod",
  });
  assert.deepEqual(choosePeer("ssh://deploy@10.0.0.7:2222", {}, peers).label, "10-0-0-7");
  assert.throws(() => choosePeer("server", {}, peers), { code: "usage", hint: "choose another: ccm pair server --label NAME" });
  const withSsh = choosePeer("ssh.example", { transport: "ssh" }, peers);
  assert.equal(withSsh.transport, "ssh");
  assert.equal(choosePeer("ssh.example", {}, [withSsh]).transport, "ssh");
  assert.deepEqual(choosePeer("ssh.example", { transport: "auto" }, [withSsh]), { host: "ssh.example", label: "ssh" });
  assert.throws(() => choosePeer("third", { label: "other" }, peers), { code: "usage" });
});
