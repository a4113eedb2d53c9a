import type net from "node:net";
import type { Clock } from "../core/clock.ts";
import { LineReader } from "../core/line-reader.ts";
import { plainLine } from "../core/plain-text.ts";
import type { Client, Credential } from "./admission/self-sent.ts";
import { isSameToken, presentedToken } from "./auth-line.ts";
import { connectingProcess } from "./connecting-process.ts";
import { type Frame, isFrame } from "./frames.ts";

/** A connection that has sent no full line for this long is closed, as Claude Code does. */
export const SILENT_CONNECTION_MS = 30_000;
/** More than this many faults of one client are not reported one by one. */
const MAX_REPORTS = 10;
/** UTF-8 takes at most three bytes for one UTF-16 code unit. */
const BYTES_PER_CHARACTER = 3;

export interface InboxConnectionOptions {
  readonly token: string;
  /** Opens the inbox as well, for processes that its owner started. */
  readonly childToken?: string;
  /** Asks the kernel who has connected, which a mirror has no use for. */
  readonly identifyClients?: boolean;
  readonly clock: Clock;
  readonly maxLineCharacters: number;
  /** May return a promise: see {@link InboxConnection}. */
  readonly onFrame: (frame: Frame, client: Client) => unknown;
  readonly onProblem: (message: string) => void;
  readonly onClose: () => void;
}

/**
 * One client of an inbox. Each complete line is handled as it comes; a line that is no good costs only itself. At the client's end
 * ours follows at once, since native senders wait for it, but not before every frame is taken.
 */
export class InboxConnection {
  readonly #socket: net.Socket;
  readonly #options: InboxConnectionOptions;
  readonly #lines: LineReader;
  /** Set once a token was right. */
  #client: Client | undefined;
  #reports = 0;
  #taking: Promise<unknown>[] = [];
  #cancelSilence: () => void;

  constructor(socket: net.Socket, options: InboxConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#lines = new LineReader({
      maxBytes: options.maxLineCharacters * BYTES_PER_CHARACTER,
      onLine: (line) => this.#takeLine(line),
      onOverflow: () => this.#report(this.#tooLong()),
    });
    this.#cancelSilence = this.#awaitLine();
    socket.on("data", (chunk: Buffer) => this.#lines.push(chunk));
    socket.on("end", () => {
      this.#lines.end();
      void this.#hangUp();
    });
    // A client that goes away in the middle of a line has told us nothing; `close` follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#cancelSilence();
      options.onClose();
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async #hangUp(): Promise<void> {
    await Promise.allSettled(this.#taking);
    this.#socket.end();
  }

  #awaitLine(): () => void {
    return this.#options.clock.after(SILENT_CONNECTION_MS, () => this.destroy());
  }

  #takeLine(text: string): void {
    this.#cancelSilence();
    if (!this.#socket.destroyed) this.#cancelSilence = this.#awaitLine();
    try {
      this.#takeValue(this.#parse(text));
    } catch (error) {
      this.#report(error instanceof Error ? error.message : String(error));
    }
  }

  #parse(text: string): unknown {
    if (text.length > this.#options.maxLineCharacters) throw new Error(this.#tooLong());
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`a line that is not JSON: ${plainLine(text, 80)}`);
    }
  }

  #takeValue(value: unknown): void {
    const token = presentedToken(value);
    if (token !== undefined) {
      this.#client = this.#recognise(token);
      if (!this.#client) throw new Error("a wrong token");
      return;
    }
    if (!this.#client) throw new Error("a frame without the token before it");
    if (!isFrame(value)) throw new Error("a line that is no frame");
    this.#hand(value, this.#client);
  }

  #recognise(presented: string): Client | undefined {
    const { token, childToken, identifyClients = false } = this.#options;
    const credential: Credential | undefined = isSameToken(presented, token)
      ? "peer"
      : childToken !== undefined && isSameToken(presented, childToken)
        ? "child"
        : undefined;
    return credential && { credential, ...(identifyClients && { pid: connectingProcess(this.#socket) }) };
  }

  #hand(frame: Frame, client: Client): void {
    try {
      const taken = this.#options.onFrame(frame, client);
      if (taken instanceof Promise) this.#await(taken);
    } catch (error) {
      throw new Error(`a frame that could not be taken: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #await(taken: Promise<unknown>): void {
    this.#taking.push(taken);
    const forget = () => {
      this.#taking = this.#taking.filter((other) => other !== taken);
    };
    taken.then(forget, forget);
  }

  #tooLong(): string {
    return `a line of more than ${this.#options.maxLineCharacters} characters`;
  }

  #report(message: string): void {
    this.#reports += 1;
    if (this.#reports > MAX_REPORTS) return;
    const more = this.#reports === MAX_REPORTS ? " (its further faults are not reported)" : "";
    this.#options.onProblem(`inbox: a client sent ${message}${more}`);
  }
}
