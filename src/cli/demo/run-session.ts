import { buildEnvelope, parseEnvelope } from "../../claude/envelope.ts";
import { type Frame, isReceipt, isUserFrame, socketPathOf, statusReceipt, userFrame } from "../../claude/frames.ts";
import { openPeer, type Peer } from "../../claude/peer.ts";
import { readRegistry } from "../../claude/registry.ts";
import { LineReader } from "../../core/line-reader.ts";
import { resolvePaths } from "../../core/paths.ts";
import type { SessionEvent, SessionMode, SessionOrder } from "./session-protocol.ts";

const MAX_ORDER_BYTES = 64 * 1024;

/**
 * `ccm demo-session NAME`: a session without a model. It is in the registry like one of Claude Code and takes messages as one in
 * auto mode does: what comes from a session that asks nobody is held until its own person says yes. It leaves when its stdin ends.
 */
export async function runSession([name = "session"]: readonly string[]): Promise<void> {
  const session = await Session.open(name);
  process.on("exit", () => session.closeSync());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => process.exit());
  process.stdout.on("error", () => process.exit());
  const orders = new LineReader({
    maxBytes: MAX_ORDER_BYTES,
    onLine: (line) => void session.obey(JSON.parse(line)),
    onOverflow: () => process.exit(1),
  });
  process.stdin.on("data", (chunk: Buffer) => orders.push(chunk)).on("end", () => process.exit());
}

class Session {
  readonly #name: string;
  readonly #peer: Peer;
  readonly #claudeConfig: string;
  readonly #held = new Map<string, Frame>();

  private constructor(name: string, peer: Peer, claudeConfig: string) {
    this.#name = name;
    this.#peer = peer;
    this.#claudeConfig = claudeConfig;
  }

  static async open(name: string): Promise<Session> {
    const { claudeConfig } = resolvePaths();
    let session: Session | undefined;
    const peer = await openPeer({
      claudeConfig,
      env: process.env,
      record: { name, cwd: process.cwd(), version: "demo" },
      onFrame: (frame) => void session?.take(frame),
      onProblem: (problem) => process.stderr.write(`${problem}\n`),
    });
    session = new Session(name, peer, claudeConfig);
    tell({ event: "ready", pid: process.pid });
    return session;
  }

  closeSync(): void {
    this.#peer.closeSync();
  }

  async take(frame: Frame): Promise<void> {
    const messageId = frame.msg_id ?? "";
    if (isReceipt(frame)) return tell({ event: "receipt", messageId: frame.orig_msg_id, status: frame.status });
    if (!isUserFrame(frame)) return;
    const envelope = parseEnvelope(frame.message.content);
    if (!envelope) return;
    const { from, fromName = "", fromMode, body: text } = envelope;
    const isHeld = fromMode === "bypass";
    tell({ event: "message", messageId, from, fromName, text, isHeld, atMs: monotonicMs() });
    if (!isHeld) return;
    this.#held.set(messageId, frame);
    await this.#answer(frame, "held").catch((error) => process.stderr.write(`${error}\n`));
  }

  async obey(order: SessionOrder): Promise<void> {
    try {
      if (order.op === "send") await this.#send(order);
      else await this.#release(order);
    } catch (error) {
      tell({ event: "failed", order: order.order, message: error instanceof Error ? error.message : String(error) });
    }
  }

  async #send({ order, to, text, mode }: SessionOrder & { op: "send" }): Promise<void> {
    const frame = userFrame({ from: this.#peer.address, content: this.#wrap(text, mode) });
    const target = this.#find(to);
    const atMs = monotonicMs();
    await this.#peer.deliver(target, frame);
    tell({ event: "sent", order, messageId: frame.msg_id ?? "", atMs });
  }

  async #release({ order, messageId }: SessionOrder & { op: "release" }): Promise<void> {
    const frame = this.#held.get(messageId);
    if (!frame) throw new Error(`${this.#name} holds no such message`);
    this.#held.delete(messageId);
    await this.#answer(frame, "delivered");
    tell({ event: "released", order });
  }

  async #answer({ from = "", msg_id: messageId = "" }: Frame, status: "held" | "delivered"): Promise<void> {
    await this.#peer.deliver(this.#find(from), statusReceipt({ from: this.#peer.address, status, messageId }));
  }

  #wrap(text: string, fromMode: SessionMode): string {
    return buildEnvelope({ from: this.#peer.address, fromName: this.#name, fromMode }, text);
  }

  /** By name, or by the address in a message. */
  #find(to: string): Parameters<Peer["deliver"]>[0] {
    const address = socketPathOf(to);
    const records = readRegistry(this.#claudeConfig).flatMap(({ record, unreachable }) => (record && !unreachable ? [record] : []));
    const found = records.find((record) => (address === undefined ? record.name === to : record.messagingSocketPath === address));
    const { pid, procStart, messagingSocketPath: socketPath } = found ?? {};
    if (pid === undefined || procStart === undefined || socketPath === undefined) throw new Error(`nobody here is called ${to}`);
    return { pid, procStart, socketPath };
  }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function tell(event: SessionEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
