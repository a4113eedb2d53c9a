import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { systemClock } from "../../core/clock.ts";
import { CcmError } from "../../core/errors.ts";
import { LineReader } from "../../core/line-reader.ts";
import { selfCommand } from "../../core/self-command.ts";
import { keepTail } from "../../ship/stderr-tail.ts";
import { beforeDeadline } from "../../ssh/before-deadline.ts";
import type { DemoMachine } from "./demo-machine.ts";
import type { ReceivedMessage, ReceivedReceipt, SessionEvent, SessionMode, SessionOrder } from "./session-protocol.ts";

/** Many times what it takes, for a machine that is busy with other things. */
const DEADLINE_MS = 30_000;
const MAX_EVENT_BYTES = 64 * 1024;

type WithoutNumber<Order> = Order extends unknown ? Omit<Order, "order"> : never;

interface Wait {
  readonly take: (event: SessionEvent) => boolean;
  readonly fail: (error: Error) => void;
}

/** One of the demo's sessions, a process of its own. Every wait ends after 30 s, with the session, or with the signal. */
export class DemoSession {
  readonly name: string;
  readonly machine: DemoMachine;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #signal: AbortSignal;
  readonly #events: SessionEvent[] = [];
  readonly #waits = new Set<Wait>();
  readonly #ended: Promise<void>;
  readonly #stderrTail: () => string;
  #hasEnded = false;
  #orders = 0;

  private constructor(name: string, machine: DemoMachine, signal: AbortSignal) {
    const { file, args } = selfCommand(["demo-session", name]);
    this.name = name;
    this.machine = machine;
    this.#signal = signal;
    // In a process session of its own: the demo ends it, not the Ctrl-C that ends the demo.
    this.#child = spawn(file, [...args], {
      cwd: machine.projectDirectory(name),
      env: machine.environment,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.#stderrTail = keepTail(this.#child.stderr);
    this.#child.stdin.on("error", () => {});
    const lines = new LineReader({
      maxBytes: MAX_EVENT_BYTES,
      onLine: (line) => this.#record(JSON.parse(line)),
      onOverflow: () => this.#child.kill(),
    });
    this.#child.stdout.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        for (const wait of this.#waits) wait.fail(this.#gone());
        resolve();
      };
      this.#child.once("close", end).once("error", end);
    });
  }

  /** Settles when the session is in its machine's registry. */
  static async start(name: string, machine: DemoMachine, signal: AbortSignal): Promise<DemoSession> {
    const session = new DemoSession(name, machine, signal);
    await session.#next("come up", (event) => event.event === "ready");
    return session;
  }

  /** To a name of its machine's list or to an address. Settles when it is written there, with the message's id and when that began. */
  async send(to: string, text: string, mode: SessionMode = "prompting"): Promise<SessionEvent & { event: "sent" }> {
    const done = await this.#order({ op: "send", to, text, mode });
    if (done.event !== "sent") throw new CcmError("check_failed", `${this.name} did not send`);
    return done;
  }

  async release(messageId: string): Promise<void> {
    await this.#order({ op: "release", messageId });
  }

  async message(text: string): Promise<ReceivedMessage> {
    return await this.#next(`get "${text}"`, (event) => event.event === "message" && event.text === text);
  }

  async receipt(messageId: string, status: string): Promise<ReceivedReceipt> {
    return await this.#next(
      `be told "${status}"`,
      (event) => event.event === "receipt" && event.messageId === messageId && event.status === status,
    );
  }

  /** As a person ends one: it takes its record, key and socket with it. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#deadline(this.#ended, "end");
  }

  async #order(order: WithoutNumber<SessionOrder>): Promise<SessionEvent> {
    const number = ++this.#orders;
    this.#child.stdin.write(`${JSON.stringify({ ...order, order: number })}\n`);
    const done = await this.#next<SessionEvent>(order.op, (event) => "order" in event && event.order === number);
    if (done.event === "failed") throw new CcmError("check_failed", `${this.name} could not ${order.op}: ${done.message}`);
    return done;
  }

  #record(event: SessionEvent): void {
    this.#events.push(event);
    for (const wait of this.#waits) if (wait.take(event)) this.#waits.delete(wait);
  }

  #next<Event extends SessionEvent>(what: string, matches: (event: SessionEvent) => boolean): Promise<Event> {
    const { promise, resolve, reject } = Promise.withResolvers<Event>();
    const take = (event: SessionEvent): boolean => {
      const isIt = matches(event);
      if (isIt) resolve(event as Event);
      return isIt;
    };
    const wait: Wait = { take, fail: reject };
    if (this.#hasEnded) reject(this.#gone());
    else if (!this.#events.some(take)) this.#waits.add(wait);
    return this.#deadline(promise, what).finally(() => this.#waits.delete(wait));
  }

  #deadline<Result>(work: Promise<Result>, what: string): Promise<Result> {
    const onTimeout = (): CcmError =>
      new CcmError("timeout", `the session ${this.name} on ${this.machine.label} did not ${what} within ${DEADLINE_MS / 1000} s`);
    return beforeDeadline(work, { ms: DEADLINE_MS, clock: systemClock, signal: this.#signal, onTimeout });
  }

  #gone(): CcmError {
    const said = this.#stderrTail().trim();
    return new CcmError("check_failed", `the session ${this.name} on ${this.machine.label} has ended${said === "" ? "" : `: ${said}`}`);
  }
}
