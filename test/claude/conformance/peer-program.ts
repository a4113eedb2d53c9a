import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { selfCommand } from "../../../src/core/self-command.ts";
import type { EventOf, PeerEvent } from "../../../src/peer/schema/output.ts";
import type { Stage } from "../../../src/selftest/check.ts";
import { until } from "../../../src/selftest/until.ts";

/** From source it starts in seconds, and several times that on a busy machine. */
const DEADLINE_MS = 60_000;

/** A `ccm peer` among the sessions of a stage. */
export class PeerProgram {
  readonly name: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<void>;
  #output = "";

  constructor({ home, signal }: Stage, name: string, args: readonly string[]) {
    const { file, args: words } = selfCommand(["peer", "--name", name, ...args]);
    this.name = name;
    this.#signal = signal;
    this.#child = spawn(file, [...words], { cwd: "/", env: home.environment, stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    this.#ended = new Promise((resolve) => this.#child.once("close", () => resolve()));
  }

  /** What it said, oldest first. */
  get events(): PeerEvent[] {
    const lines = this.#output.split("\n").slice(0, -1);
    return lines.map((line): PeerEvent => JSON.parse(line));
  }

  tell(command: object): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** Waits for an event of that kind with that text, or with any. */
  event<Kind extends PeerEvent["event"]>(kind: Kind, text?: string): Promise<EventOf<Kind>> {
    const isIt = (one: PeerEvent): one is EventOf<Kind> => one.event === kind && (text === undefined || one["text"] === text);
    const what = `${this.name} to say ${kind} ${text ?? ""}`;
    return until(() => this.events.find(isIt), { what, signal: this.#signal, deadlineMs: DEADLINE_MS });
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }
}
