import net from "node:net";

const DEADLINE_MS = 5_000;

/** Writes what our own sender would refuse to write. Settles when the receiver hangs up, however it does, or after 5 s. */
export function writeLines(socketPath: string, lines: readonly unknown[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect({ path: socketPath, allowHalfOpen: true });
    socket.setTimeout(DEADLINE_MS, () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve());
    socket.resume();
    socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  });
}
