import type { Client } from "../claude/admission/self-sent.ts";
import { type Frame, isUserFrame } from "../claude/frames.ts";
import { openPeer, type Peer } from "../claude/peer.ts";
import type { PeerRecordFields } from "../claude/peer-record.ts";
import { toCcmError } from "../core/errors.ts";
import { LineReader } from "../core/line-reader.ts";
import { type FromMirror, MAX_PIPE_LINE_BYTES, type ToMirror } from "./mirror-protocol.ts";
import { UnsettledMessages } from "./unsettled.ts";

/** How long what was handed over may still take after the daemon has gone. */
const LAST_DELIVERIES_MS = 4_000;
/** Less than what a pipe holds while the daemon is busy. */
const AT_ONCE_CHARACTERS = 16_384;
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * The process that stands for one session of another machine: `ccm mirror`. Speaks {@link ToMirror} and {@link FromMirror} with
 * the daemon that started it, and ends with its stdin, whatever ended that, or on a signal. Settles when it has left the
 * registry; exit code 1 if it could not enter it.
 */
export async function runMirror(): Promise<void> {
  const mirror = new MirrorProcess();
  for (const signal of STOP_SIGNALS) process.once(signal, () => process.exit(0));
  process.on("exit", () => mirror.leaveNow());
  // The daemon is gone then, and with it stdin.
  process.stdout.on("error", () => {});
  const lines = new LineReader({
    maxBytes: MAX_PIPE_LINE_BYTES,
    onLine: (line) => mirror.take(line),
    onOverflow: (maxBytes) => tell({ op: "problem", message: `mirror: a line of more than ${maxBytes} bytes` }),
  });
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk));
  const hungUp = new Promise<void>((resolve) => {
    process.stdin.on("error", () => resolve());
    process.stdin.on("close", () => resolve());
  });
  await Promise.race([hungUp, mirror.unusable]);
  await mirror.leave();
}

class MirrorProcess {
  readonly unusable: Promise<void>;
  readonly #giveUp: () => void;
  #opening: Promise<Peer | undefined> | undefined;
  #peer: Peer | undefined;
  readonly #unsettled = new UnsettledMessages();
  #claudeConfig = "";
  #name = "";
  #orphaned = "the ccm daemon of this machine ended";
  #isOrderly = false;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.unusable = promise;
    this.#giveUp = resolve;
  }

  take(line: string): void {
    try {
      const message = JSON.parse(line) as ToMirror;
      if (message.op === "open") this.#opening ??= this.#open(message);
      else this.#whenOpen(message);
    } catch (error) {
      tellProblem(error);
    }
  }

  async leave(): Promise<void> {
    const peer = await this.#opening;
    if (peer) {
      await Promise.race([this.#lastDeliveries(peer), delay(LAST_DELIVERIES_MS)]);
      await peer.close();
    }
    process.stdin.destroy();
  }

  /** Some may come in while others are told; the last look and the end of the inbox are one step. */
  async #lastDeliveries(peer: Peer): Promise<void> {
    await peer.idle();
    while (!this.#unsettled.isEmpty) {
      const ending = this.#isOrderly ? "orderly" : { orphaned: this.#orphaned };
      await this.#unsettled.tell(peer, this.#claudeConfig, this.#name, ending);
    }
  }

  leaveNow(): void {
    this.#peer?.closeSync();
  }

  async #open({ claudeConfig, name, record, childToken, orphaned }: ToMirror & { op: "open" }): Promise<Peer | undefined> {
    this.#claudeConfig = claudeConfig;
    this.#name = name;
    this.#orphaned = orphaned ?? this.#orphaned;
    try {
      const peer = await openPeer({
        claudeConfig,
        env: process.env,
        record: { ...record, name },
        onFrame: (frame, client) => handOn(this.#unsettled.add(frame), frame, childToken === undefined ? undefined : client),
        ...(childToken !== undefined && { childToken, identifyClients: true }),
        onProblem: (message) => tell({ op: "problem", message }),
      });
      this.#peer = peer;
      tell({ op: "ready", pid: peer.pid, procStart: peer.procStart, socketPath: peer.socketPath, address: peer.address });
      return peer;
    } catch (error) {
      tell({ op: "unusable", ...describe(error) });
      process.exitCode = 1;
      this.#giveUp();
      return undefined;
    }
  }

  /** What comes while the peer is being made waits for it, in order. */
  async #whenOpen(message: Exclude<ToMirror, { op: "open" }>): Promise<void> {
    const peer = await this.#opening;
    if (!peer) return;
    try {
      if (message.op === "update") this.#update(peer, message.record);
      else if (message.op === "settled") this.#unsettled.settle(message.id);
      else if (message.op === "close") this.#isOrderly = true;
      else if (message.op === "deliver") await this.#deliver(peer, message);
      else tell({ op: "problem", message: "mirror: an op that is not known" });
    } catch (error) {
      tellProblem(error);
    }
  }

  #update(peer: Peer, record: PeerRecordFields): void {
    this.#name = record.name ?? this.#name;
    peer.update(withoutNulls(record));
  }

  async #deliver(peer: Peer, { id, target, frame }: ToMirror & { op: "deliver" }): Promise<void> {
    try {
      await peer.deliver(target, frame);
      tell({ op: "delivered", id });
    } catch (error) {
      tell({ op: "failed", id, ...describe(error) });
    }
  }
}

/** JSON has no undefined: null on the pipe takes a field away. */
function withoutNulls(record: PeerRecordFields): PeerRecordFields {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value ?? undefined]));
}

function tell(message: FromMirror): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Settles when the daemon can read it even if this process is killed: a large frame does not go into the pipe at once. */
function handOn(id: number, frame: Frame, client: Client | undefined): Promise<void> {
  return new Promise((resolve) => {
    const { from, msg_id: messageId } = frame;
    const line = `${JSON.stringify({ op: "frame", id, frame, ...(client && { client }) } satisfies FromMirror)}\n`;
    const isLarge = line.length > AT_ONCE_CHARACTERS;
    if (isLarge && isUserFrame(frame) && from !== undefined && messageId !== undefined) tell({ op: "coming", id, from, messageId });
    process.stdout.write(line, () => resolve());
  });
}

function tellProblem(error: unknown): void {
  tell({ op: "problem", message: `mirror: ${toCcmError(error).message}` });
}

function describe(thrown: unknown): Pick<FromMirror & { op: "failed" }, "code" | "message" | "hint"> {
  const { code, message, hint } = toCcmError(thrown);
  return { code, message, ...(hint !== undefined && { hint }) };
}

function delay(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    timer.unref();
  });
}
