import { Writable } from "node:stream";
import type { ClientChannel } from "ssh2";
import { endingReadable } from "../ending-readable.ts";
import type { RemoteExit, RemoteProcess } from "../transport.ts";

/**
 * An ssh2 channel behind our interface. ssh2 forgets a write's callback when the channel goes, and reports the end of a channel only
 * when its output has been read; so the channel's streams are wrapped and every ending reaches every stream.
 */
export function remoteProcess(channel: ClientChannel, connectionClosed: Promise<void>): RemoteProcess {
  const gone = new AbortController();
  const stdout = endingReadable(channel, gone.signal);
  const stderr = endingReadable(channel.stderr, gone.signal);
  const { stdin, breakPipe } = writableOf(channel, gone.signal);
  const exit = new Promise<RemoteExit>((resolve) => {
    channel.once("exit", (code: number | null, signal?: string) => {
      resolve({ code: code ?? undefined, signal });
      // Nobody reads it any more.
      breakPipe();
    });
    gone.signal.addEventListener("abort", () => resolve({ code: undefined, signal: undefined }));
  });
  const end = (): void => gone.abort();
  channel.on("error", end).once("close", end);
  void connectionClosed.then(end);
  const close = (): void => {
    channel.close();
    end();
  };
  return { stdin, stdout, stderr, exit, close };
}

function writableOf(channel: ClientChannel, gone: AbortSignal): { stdin: Writable; breakPipe: () => void } {
  let pending: ((error?: Error | null) => void) | undefined;
  const stdin = new Writable({
    write(chunk, _encoding, callback) {
      pending = callback;
      channel.write(chunk, (error) => {
        if (pending !== callback) return;
        pending = undefined;
        callback(error);
      });
    },
    final(callback) {
      channel.end();
      callback();
    },
  });
  const breakPipe = (): void => {
    if (stdin.destroyed || stdin.writableFinished) return;
    const error = Object.assign(new Error("the remote process is gone"), { code: "EPIPE" });
    const callback = pending;
    pending = undefined;
    // The write in progress fails first, or those that wait behind it would never hear.
    if (callback) callback(error);
    else stdin.destroy(error);
  };
  // Whoever writes learns of it by the callback, by `destroyed` or by an own listener; without one it must not end the process.
  stdin.on("error", () => {});
  gone.addEventListener("abort", breakPipe);
  return { stdin, breakPipe };
}
