import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { type PeerCommand, peerInput } from "../../../src/peer/schema/input.ts";
import { type EventOf, type PeerEvent, peerOutput } from "../../../src/peer/schema/output.ts";
import { eventually } from "../../support/eventually.ts";
import type { ChatHome } from "../cli/fixtures/chat-home.ts";

const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");
/** Several start at once, from source, on a machine that may be busy. */
const DEADLINE_MS = 30_000;

type CommandFields = PeerCommand extends infer Command ? (Command extends PeerCommand ? Omit<Command, "id"> : never) : never;

/** A `ccm peer` that runs from source. Every event is held against its schema. */
export class PeerUnderTest {
  readonly events: PeerEvent[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<number | null>;
  readonly #listeners: (() => void)[] = [];
  #stderr = "";
  #lastId = 0;

  /** `program`: the built executable, in place of the source. */
  constructor(home: ChatHome, words: readonly string[], program?: string) {
    const [file, args] = program === undefined ? [process.execPath, [MAIN]] : [program, []];
    this.#child = spawn(file, [...args, "peer", ...words], { env: home.environment, cwd: home.paths.home });
    this.#exit = once(this.#child, "close").then(([code]) => code);
    this.#child.stderr.on("data", (text: Buffer) => (this.#stderr += text));
    this.#child.stdin.on("error", () => undefined);
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      this.events.push(peerOutput.parse(JSON.parse(line)));
      for (const listener of this.#listeners) listener();
    });
  }

  /** One whose first name is listed; gone at the end of the test. */
  static async start(t: TestContext, home: ChatHome, words: readonly string[], program?: string): Promise<PeerUnderTest> {
    const peer = new PeerUnderTest(home, words, program);
    t.after(() => peer.end());
    await peer.event("ready");
    return peer;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The first event of that kind that is as asked, waited for. */
  async event<Kind extends PeerEvent["event"]>(
    kind: Kind,
    matches: (event: EventOf<Kind>) => boolean = () => true,
  ): Promise<EventOf<Kind>> {
    const find = () => this.all(kind).find(matches);
    return (await eventually(find, { deadlineMs: DEADLINE_MS, what: `${kind}, after ${this.#describe()}` })) as EventOf<Kind>;
  }

  all<Kind extends PeerEvent["event"]>(kind: Kind): EventOf<Kind>[] {
    return this.events.filter((event): event is EventOf<Kind> => event.event === kind);
  }

  /** Called after each event. */
  onEvent(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Gives a command and waits for its result. */
  async command(fields: CommandFields): Promise<EventOf<"result">> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.write(JSON.stringify(peerInput.parse({ id, ...fields })));
    return await this.event("result", (result) => result.id === id);
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Ends its input, and waits for it to leave. */
  async end(): Promise<number | null> {
    this.#child.stdin.end();
    return await this.#exit;
  }

  /** By a command; its input stays open. */
  async close(): Promise<number | null> {
    this.write('{"op":"close"}');
    return await this.#exit;
  }

  /** What it says then fills the pipe. */
  stopReading(): void {
    this.#child.stdout.pause();
  }

  readOn(): void {
    this.#child.stdout.resume();
  }

  async kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return await this.#exit;
  }

  #describe(): string {
    return `${JSON.stringify(this.events.slice(-5))} ${this.#stderr}`;
  }
}
