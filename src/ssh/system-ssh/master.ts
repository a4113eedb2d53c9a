import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { Clock } from "../../core/clock.ts";

/** With the suffix that ssh gives it while it is being made, a path of a socket may have 103 bytes. */
const MAX_DIRECTORY_BYTES = 80;
const DIRECTORY_PREFIX = "ccm-ssh-";
/** What mkdtemp adds to a name. */
const RANDOM_BYTES = 6;
const LOOK_EVERY_MS = 20;
const KEPT_STDERR_BYTES = 8 * 1024;
/** A helper of ssh's own may keep stderr open after it. */
const STDERR_GRACE_MS = 200;

/**
 * Runs "$@" and ends it when standard input ends, so that no connection outlives whoever wanted it, however that one went. As its
 * parent it cannot mistake another process for it. Removes the directory "$0" at last.
 */
const KEEPER = `exec 3<&0 </dev/null
"$@" 3<&- & ssh=$!
(read -r _ <&3; kill "$ssh") >/dev/null 2>&1 & keeper=$!
exec 3<&-
wait "$ssh"; status=$?
kill "$keeper" 2>/dev/null
rm -rf -- "$0"
exit "$status"`;

/** The ssh process that holds the connection. The directory with its control socket is ours alone and goes with it. */
export class Master {
  readonly socket: string;
  /** Settles, never rejects, when ssh and its directory are gone. */
  readonly ended: Promise<void>;
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  #stderr = Buffer.alloc(0);
  #hasEnded = false;

  constructor(argumentsFor: (socket: string) => readonly string[], env: NodeJS.ProcessEnv, clock: Clock) {
    this.#directory = makeDirectory();
    this.#clock = clock;
    this.socket = path.join(this.#directory, "s");
    const words = ["-c", KEEPER, this.#directory, "ssh", ...argumentsFor(this.socket)];
    // A process session of its own: there is no terminal on which ssh, or a program of its, could ask a question.
    this.#child = spawn("/bin/sh", words, { env, detached: true, stdio: ["pipe", "ignore", "pipe"], cwd: "/" });
    this.#child.stdin?.on("error", () => {});
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-KEPT_STDERR_BYTES);
    });
    this.ended = this.#watch();
  }

  /** What ssh has said, at most the last 8 KiB. */
  get stderr(): string {
    return this.#stderr.toString("utf8");
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it is in. Settles with false when it ends first; the deadline is the caller's, who must then close it. */
  async ready(): Promise<boolean> {
    // ssh makes the socket when it is in, in one step; there is nothing else that tells it without a word on its output.
    while (!this.#hasEnded) {
      if (fs.existsSync(this.socket)) return true;
      await new Promise<void>((resolve) => this.#clock.after(LOOK_EVERY_MS, resolve));
    }
    return false;
  }

  /** Whether it still takes commands; by asking, since its end may not have been noticed yet. */
  async isAlive(): Promise<boolean> {
    const socket = net.connect(this.socket);
    const answer = new Promise<boolean>((resolve) => socket.once("connect", () => resolve(true)).once("error", () => resolve(false)));
    return answer.finally(() => socket.destroy());
  }

  /** Asks it to end. */
  close(): void {
    this.#child.stdin?.destroy();
  }

  /** Ends it and what it started, without asking. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
  }

  async #watch(): Promise<void> {
    const closed = once(this.#child, "close").catch(() => {});
    await once(this.#child, "exit").catch(() => {});
    let cancel = (): void => {};
    const patience = new Promise<void>((resolve) => {
      cancel = this.#clock.after(STDERR_GRACE_MS, resolve);
    });
    await Promise.race([closed, patience]);
    cancel();
    this.#child.stderr?.destroy();
    fs.rmSync(this.#directory, { recursive: true, force: true });
    this.#hasEnded = true;
  }
}

function makeDirectory(): string {
  const preferred = path.join(os.tmpdir(), DIRECTORY_PREFIX);
  const fits = Buffer.byteLength(preferred) + RANDOM_BYTES <= MAX_DIRECTORY_BYTES;
  return fs.mkdtempSync(fits ? preferred : path.join("/tmp", DIRECTORY_PREFIX));
}
