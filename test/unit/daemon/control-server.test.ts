import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";
import { listenControl } from "../../../src/daemon/control-server.ts";
import { eventually } from "../../support/eventually.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const DESCRIPTORS = "/proc/self/fd";

async function ask(socketPath: string, text: string): Promise<string> {
  const socket = net.connect({ path: socketPath, allowHalfOpen: true });
  const closed = once(socket, "close");
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    answer += part;
  });
  socket.on("end", () => socket.destroy());
  socket.end(text);
  await closed;
  return answer;
}

test("a request that cannot be read is answered, and no connection is left of it", {
  skip: !fs.existsSync(DESCRIPTORS) && "needs /proc",
}, async (context) => {
  const socketPath = path.join(temporaryDirectory(context), "s");
  const server = await listenControl({ socketPath, answer: async () => ({ ok: true }), onLink: (stream) => stream.close() });
  context.after(() => server.close());
  const before = fs.readdirSync(DESCRIPTORS).length;
  for (const text of ["null\n", "{\n", "[1]\n", "x", '{"op":"link"}\n']) await ask(socketPath, text);
  assert.match(await ask(socketPath, "{\nmore"), /"ok":false/);
  await eventually(() => fs.readdirSync(DESCRIPTORS).length === before, { what: "the descriptors to be closed" });
});

test("who hangs up while the answer is waited for is noticed at once", async (context) => {
  const socketPath = path.join(temporaryDirectory(context), "s");
  const asked = Promise.withResolvers<AbortSignal>();
  const answer = async (_request: unknown, _tell: unknown, hungUp: AbortSignal) => {
    asked.resolve(hungUp);
    await once(hungUp, "abort");
    return { ok: true } as const;
  };
  const server = await listenControl({ socketPath, answer, onLink: (stream) => stream.close() });
  context.after(() => server.close());
  const socket = net.connect(socketPath);
  socket.write('{"op":"status"}\n');
  const hungUp = await asked.promise;
  socket.destroy();
  await eventually(() => hungUp.aborted);
});
