import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { Client } from "../../../src/claude/admission/self-sent.ts";
import { deliver } from "../../../src/claude/deliver.ts";
import { listenInbox } from "../../../src/claude/inbox.ts";
import { openSandbox } from "./sandbox.ts";

async function openInbox(t: TestContext, identifyClients: boolean) {
  const clients: Client[] = [];
  const socketPath = path.join(openSandbox(t).root, "i.sock");
  const inbox = await listenInbox({
    socketPath,
    token: "peer-token",
    childToken: "child-token",
    identifyClients,
    onFrame: (_frame, client) => void clients.push(client),
    onProblem: (message) => t.diagnostic(message),
  });
  t.after(() => inbox.close());
  return { socketPath, clients };
}

/** Writes a frame with a token, from a process of its own; returns its pid. */
async function sendFromChild(socketPath: string, token: string): Promise<number | undefined> {
  const text = `${JSON.stringify({ type: "auth", token })}\n${JSON.stringify({ type: "user" })}\n`;
  const program = "require('net').connect(process.argv[1]).end(process.argv[2]).resume()";
  const child = spawn(process.execPath, ["-e", program, socketPath, text], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid;
}

const skip = process.platform === "linux" || process.platform === "darwin" ? false : "the kernel is asked on Linux and macOS only";

test("the kernel says which process has connected, also when that has ended since", { skip }, async (t) => {
  const { socketPath, clients } = await openInbox(t, true);
  await deliver({ socketPath, token: "peer-token", frame: { type: "user" } });
  const pid = await sendFromChild(socketPath, "child-token");
  assert.deepEqual(clients, [
    { credential: "peer", pid: process.pid },
    { credential: "child", pid },
  ]);
});

test("an inbox that was not told to does not ask", async (t) => {
  const { socketPath, clients } = await openInbox(t, false);
  await deliver({ socketPath, token: "child-token", frame: { type: "user" } });
  await deliver({ socketPath, token: "other", frame: { type: "user" } });
  assert.deepEqual(clients, [{ credential: "child" }]);
});

test("asking says nothing on stderr", { skip }, () => {
  const source = path.join(import.meta.dirname, "..", "..", "..", "src", "claude", "connecting-process.ts");
  const program = `import(${JSON.stringify(source)}).then(({ connectingProcess }) => connectingProcess({ _handle: { fd: 0 } }))`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", program], { encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
});
