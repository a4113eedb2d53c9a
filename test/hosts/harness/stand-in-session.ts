import { type Envelope, parseEnvelope } from "../../../src/claude/envelope.ts";
import { type Frame, isIdleNotice, isReceipt, isUserFrame, type UserFrame } from "../../../src/claude/frames.ts";
import type { SessionEvent, SessionOrder } from "../fixtures/stand-in-session.ts";
import { bundleFixture } from "./bundle-fixture.ts";
import type { Host } from "./host.ts";
import type { HostProcess } from "./host-process.ts";
import type { Network } from "./network.ts";
import { waitFor } from "./wait-for.ts";

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;

export interface HeardMessage {
  readonly frame: UserFrame;
  readonly envelope: Envelope;
}

const fixtures = new WeakMap<Network, Promise<string>>();

/** A session without a model on a host: listed and reachable like Claude Code, and cheap. Ends with its host at the latest. */
export class StandInSession {
  readonly host: Host;
  readonly name: string;
  readonly pid: number;
  /** `uds:` and its socket, on its host. */
  readonly address: string;
  readonly #process: HostProcess;
  #orders = 0;

  private constructor(host: Host, name: string, started: HostProcess, ready: SessionEvent & { event: "ready" }) {
    this.host = host;
    this.name = name;
    this.pid = ready.pid;
    this.address = ready.address;
    this.#process = started;
  }

  static async start(network: Network, host: Host, name: string, env: NodeJS.ProcessEnv = {}): Promise<StandInSession> {
    const program = fixtures.get(network) ?? bundleFixture(network, "stand-in-session");
    fixtures.set(network, program);
    const started = host.spawn(network.node, [await program, name], { env });
    const [line = ""] = await started.waitOutput(/^\{"event":"ready".*$/m);
    return new StandInSession(host, name, started, JSON.parse(line));
  }

  /** Writes messages to a name or address of its host, all at once. Returns their ids; rejects with what the inbox did. */
  send(to: string, texts: string | readonly string[], mode: "bypass" | "prompting" = "prompting"): Promise<readonly string[]> {
    return this.#order({ op: "send", to, texts: typeof texts === "string" ? [texts] : texts, mode });
  }

  /** Writes a message with files of its host, which it stages itself. */
  sendFiles(to: string, text: string, files: readonly string[]): Promise<readonly string[]> {
    return this.#order({ op: "send", to, texts: [text], files });
  }

  /** What it made of messages that came with files, oldest first. */
  received() {
    return this.#events().filter((event) => event.event === "received");
  }

  /** Writes any frame to a name or address of its host; `from` is put in. */
  async write(to: string, frame: Frame): Promise<void> {
    await this.#order({ op: "write", to, frame });
  }

  /** Sends a receipt for a frame that it got. */
  async answer(frame: Frame, status: "held" | "delivered" | "denied"): Promise<void> {
    await this.#order({ op: "answer", frame, status });
  }

  async rename(name: string): Promise<void> {
    await this.#order({ op: "rename", name });
  }

  /** Every frame that it got, oldest first. */
  frames(): Frame[] {
    return this.#events().flatMap((event) => (event.event === "frame" ? [event.frame] : []));
  }

  /** The messages among them that are in an envelope as Claude Code reads it. */
  messages(): HeardMessage[] {
    return this.frames()
      .filter(isUserFrame)
      .flatMap((frame) => {
        const envelope = parseEnvelope(frame.message.content);
        return envelope ? [{ frame, envelope }] : [];
      });
  }

  waitMessage(body: string, deadlineMs = 5_000): Promise<HeardMessage> {
    const what = `"${body}" to reach ${this.name}`;
    return waitFor(() => this.messages().find(({ envelope }) => envelope.body === body), {
      what,
      deadlineMs,
      otherwise: () => this.#output(),
    });
  }

  /** The receipts for a message, oldest first. */
  receipts(messageId: string | undefined) {
    return this.frames()
      .filter(isReceipt)
      .filter(({ orig_msg_id }) => orig_msg_id === messageId);
  }

  idleNotices() {
    return this.frames().filter(isIdleNotice);
  }

  /** Ends its input; it removes what it had. */
  async close(): Promise<void> {
    await this.#process.close();
  }

  /** Its record, key and socket stay. */
  async kill9(): Promise<void> {
    await this.#process.kill("SIGKILL");
    await this.#process.exit;
  }

  async #order(order: DistributiveOmit<SessionOrder, "id">): Promise<readonly string[]> {
    const id = ++this.#orders;
    this.#process.stdin.write(`${JSON.stringify({ ...order, id })}\n`);
    const outcome = await waitFor(() => this.#events().find((event) => "id" in event && event.id === id), {
      what: `${this.name} to ${order.op}`,
      otherwise: () => this.#output(),
    });
    if (outcome.event === "failed") throw Object.assign(new Error(outcome.message), { code: outcome.code });
    return outcome.event === "done" ? outcome.messageIds : [];
  }

  #events(): SessionEvent[] {
    return this.#process.stdoutText
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  #output(): string {
    return `${this.#process.stdoutText}${this.#process.stderrText}`;
  }
}
