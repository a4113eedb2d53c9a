import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { listenControl } from "../../../src/daemon/control-server.ts";
import type { FuzzTarget } from "../run-fuzz.ts";

const AT_ONCE = 50;

/** The control socket: one line a connection, and each is answered, or hung up on where it has no line. */
export async function openControlTarget(): Promise<FuzzTarget> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "c-"));
  const socketPath = path.join(directory, "s");
  const server = await listenControl({
    socketPath,
    answer: async (request) => {
      if (!["status", "reload", "send"].includes(request.op)) throw new Error(`no ${request.op}`);
      return { ok: true };
    },
    onLink: (stream) => stream.close(),
  });
  return {
    seeds: [
      { op: "status" },
      { op: "reload" },
      { op: "link" },
      { op: "send", mirrorPid: 1, frame: {}, person: "p", waitMs: 1 },
      { op: "trace" },
    ],
    oversizeBytes: 9_000_000,
    feed: async (lines) => {
      for (let start = 0; start < lines.length; start += AT_ONCE) {
        await Promise.all(lines.slice(start, start + AT_ONCE).map((line) => ask(socketPath, line)));
      }
      const answer = await ask(socketPath, Buffer.from('{"op":"status"}'));
      if (answer !== '{"ok":true}\n') throw new Error(`answered ${answer}`);
    },
    close: async () => {
      await server.close();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function ask(socketPath: string, line: Buffer): Promise<string> {
  const socket = net.connect({ path: socketPath, allowHalfOpen: true });
  socket.on("error", () => undefined);
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
  const closed = once(socket, "close");
  socket.end(Buffer.concat([line, Buffer.from("\n")]));
  socket.on("end", () => socket.destroy());
  await closed;
  return answer;
}
