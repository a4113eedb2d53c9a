import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { authLine } from "../../../src/claude/auth-line.ts";
import { type Frame, statusReceipt, userFrame } from "../../../src/claude/frames.ts";
import { listenInbox } from "../../../src/claude/inbox.ts";
import { eventually } from "../../support/eventually.ts";
import type { FuzzTarget } from "../run-fuzz.ts";

const TOKEN = "b47df9aa6a41d2f21fe160972edbbd54";
const MAX_LINE_CHARACTERS = 100_000;

/** An inbox on its socket: what is hostile comes with and without the token, and then a good frame must arrive. */
export async function openInboxTarget(): Promise<FuzzTarget> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "i-"));
  const socketPath = path.join(directory, "s");
  let last: Frame | undefined;
  const inbox = await listenInbox({
    socketPath,
    token: TOKEN,
    maxLineCharacters: MAX_LINE_CHARACTERS,
    onFrame: (frame) => {
      last = frame;
      // As a mirror does with it.
      JSON.stringify(frame);
    },
    onProblem: () => undefined,
  });
  let count = 0;
  return {
    seeds: [
      { type: "auth", token: TOKEN },
      { type: "auth", token: "wrong" },
      userFrame({
        from: "uds:/run/1.sock",
        content: '<cross-session-message from="uds:/x">\nhello\n</cross-session-message>',
        messageId: "m",
      }),
      statusReceipt({ from: "uds:/run/1.sock", status: "held", messageId: "m", reason: "r" }),
    ],
    oversizeBytes: MAX_LINE_CHARACTERS * 4,
    feed: async (lines) => {
      const good = `good ${++count}`;
      await write(socketPath, lines);
      await write(socketPath, [...lines, `${authLine(TOKEN)}`, JSON.stringify({ type: "user", msg_id: good })].map(authenticated));
      await eventually(() => last?.msg_id === good, { what: "the good frame", deadlineMs: 10_000 });
    },
    close: async () => {
      await inbox.close();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The first line of a connection presents the token. */
function authenticated(line: Buffer | string, index: number): Buffer | string {
  return index === 0 ? Buffer.concat([Buffer.from(`${authLine(TOKEN)}\n`), Buffer.from(line)]) : line;
}

async function write(socketPath: string, lines: readonly (Buffer | string)[]): Promise<void> {
  const socket = net.connect({ path: socketPath, allowHalfOpen: true });
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  socket.resume();
  socket.end(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")])));
  await closed;
}
