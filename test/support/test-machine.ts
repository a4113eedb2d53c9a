import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import type { TestContext } from "node:test";
import { type Envelope, parseEnvelope } from "../../src/claude/envelope.ts";
import { type Frame, isReceipt, isUserFrame, type ReceiptFrame } from "../../src/claude/frames.ts";
import { type RegistryEntry, readRegistry } from "../../src/claude/registry.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { type Paths, resolvePaths } from "../../src/core/paths.ts";
import { type ConfigFile, changeConfig } from "../../src/daemon/config.ts";
import { askDaemon } from "../../src/daemon/control-client.ts";
import type { ControlAnswer, ControlRequest, DaemonStatus } from "../../src/daemon/control-protocol.ts";
import { Daemon } from "../../src/daemon/daemon.ts";
import type { LinkStream } from "../../src/link/connection.ts";
import type { SessionEvent, SessionOrder } from "../hosts/fixtures/stand-in-session.ts";
import { eventually } from "./eventually.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const SESSION = path.join(import.meta.dirname, "../hosts/fixtures/stand-in-session.ts");
const DEADLINE_MS = 10_000;

type WithoutId<Order> = Order extends unknown ? Omit<Order, "id"> : never;

/**
 * A machine in a throwaway home: a real daemon with real mirrors, and sessions that are processes of their own. Links go through
 * the other machine's control socket, as `serve` would join them, so that a test can break them.
 */
export class TestMachine {
  readonly label: string;
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  /** For its next start. */
  clock: Clock = systemClock;
  readonly #test: TestContext;
  /** Other machines by the host name under which this one dials them. */
  readonly #hosts = new Map<string, TestMachine>();
  readonly #wires = new Set<net.Socket>();
  #daemon: Daemon | undefined;
  #isCut = false;

  constructor(test: TestContext, label: string, config: Partial<ConfigFile> = {}) {
    // Hooks run in the order in which they are registered: the daemon stops before its home is removed.
    test.after(() => this.stop());
    const home = temporaryDirectory(test);
    const runtime = path.join(home, "run");
    fs.mkdirSync(runtime, { mode: 0o700 });
    const { PATH, CCM_TEST_MARK, NODE_COMPILE_CACHE, TMPDIR } = process.env;
    this.label = label;
    this.environment = { PATH, HOME: home, XDG_RUNTIME_DIR: runtime, CCM_TEST_MARK, NODE_COMPILE_CACHE, TMPDIR };
    this.paths = resolvePaths(this.environment);
    this.#test = test;
    changeConfig(this.paths, (current) => ({ ...current, label, ...config }));
  }

  async start(): Promise<this> {
    this.#daemon = await Daemon.start({
      paths: this.paths,
      environment: this.environment,
      clock: this.clock,
      openLink: ({ host, signal }) => this.#dial(host, signal),
      onStop: () => undefined,
    });
    return this;
  }

  async stop(final = true): Promise<void> {
    await this.#daemon?.stop("the test is over", final);
    await this.#daemon?.drained();
    this.#daemon = undefined;
  }

  /** Pairs as `ccm pair` does, and waits for the link. */
  async pair(other: TestMachine, label = other.label, host = other.label): Promise<void> {
    this.#hosts.set(host, other);
    changeConfig(this.paths, (current) => ({ ...current, peers: [...(current.peers ?? []), { host, label }] }));
    await this.ask({ op: "reload" });
    await this.ask({ op: "await-link", label, timeoutMs: DEADLINE_MS });
  }

  async unpair(label: string): Promise<void> {
    changeConfig(this.paths, (current) => ({ ...current, peers: (current.peers ?? []).filter((peer) => peer.label !== label) }));
    await this.ask({ op: "reload" });
  }

  /** Breaks every link that this machine dialled, and lets none come up until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const wire of this.#wires) wire.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  ask(request: ControlRequest): Promise<ControlAnswer & { ok: true }> {
    return askDaemon(this.paths, request, { timeoutMs: DEADLINE_MS });
  }

  async status(): Promise<DaemonStatus> {
    const answer = await this.ask({ op: "status" });
    if (!("status" in answer)) throw new Error("no status");
    return answer.status;
  }

  /** What the registry of this machine lists as reachable. */
  listed(): RegistryEntry[] {
    return readRegistry(this.paths.claudeConfig).filter((entry) => entry.record && !entry.unreachable);
  }

  names(): string[] {
    return this.listed()
      .map(({ record }) => record?.name ?? "")
      .sort();
  }

  mirror(name: string): Promise<NonNullable<RegistryEntry["record"]>> {
    return eventually(() => this.listed().find(({ record }) => record?.name === name)?.record, {
      deadlineMs: DEADLINE_MS,
      what: `${name} on ${this.label}`,
    });
  }

  session(name: string): Promise<TestSession> {
    return TestSession.start(this.#test, this, name);
  }

  trail(): Record<string, unknown>[] {
    const text = fs.existsSync(this.paths.auditFile) ? fs.readFileSync(this.paths.auditFile, "utf8") : "";
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  #dial(host: string, signal: AbortSignal): Promise<LinkStream> {
    const { promise, resolve, reject } = Promise.withResolvers<LinkStream>();
    const other = this.#hosts.get(host);
    if (this.#isCut || !other) return Promise.reject(new Error(`no way to ${host}`));
    const wire = net.connect(other.paths.controlSocket);
    signal.addEventListener("abort", () => wire.destroy(), { once: true });
    wire.on("error", reject).on("close", () => reject(new Error("the wire was closed")));
    wire.on("connect", () => {
      wire.write('{"op":"link"}\n');
      resolve({ readable: wire, writable: wire, close: () => wire.destroySoon() });
    });
    this.#wires.add(wire);
    wire.on("close", () => this.#wires.delete(wire));
    return promise;
  }
}

/** A session without a model, in a process of its own. */
export class TestSession {
  readonly name: string;
  readonly pid: number;
  readonly address: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #events: SessionEvent[];
  #orders = 0;

  private constructor(
    name: string,
    child: ChildProcessWithoutNullStreams,
    events: SessionEvent[],
    ready: SessionEvent & { event: "ready" },
  ) {
    this.name = name;
    this.pid = ready.pid;
    this.address = ready.address;
    this.#child = child;
    this.#events = events;
  }

  static async start(test: TestContext, machine: TestMachine, name: string): Promise<TestSession> {
    const child = spawn(process.execPath, [SESSION, name], { env: machine.environment, stdio: "pipe" });
    const ended = new Promise((resolve) => child.once("close", resolve));
    test.after(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    const events: SessionEvent[] = [];
    let rest = "";
    child.stderr.resume();
    child.stdin.on("error", () => undefined);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      events.push(...lines.map((line) => JSON.parse(line)));
    });
    const ready = await eventually(() => events.find((event) => event.event === "ready"), {
      deadlineMs: DEADLINE_MS,
      what: `session ${name}`,
    });
    return new TestSession(name, child, events, ready);
  }

  get frames(): Frame[] {
    return this.#events.flatMap((event) => (event.event === "frame" ? [event.frame] : []));
  }

  get messages(): { frame: Frame; envelope: Envelope }[] {
    return this.frames.filter(isUserFrame).flatMap((frame) => {
      const envelope = parseEnvelope(frame.message.content);
      return envelope ? [{ frame, envelope }] : [];
    });
  }

  receipts(messageId: string | undefined): ReceiptFrame[] {
    return this.frames.filter(isReceipt).filter((frame) => frame.orig_msg_id === messageId);
  }

  message(body: string): Promise<{ frame: Frame; envelope: Envelope }> {
    return eventually(() => this.messages.find(({ envelope }) => envelope.body === body), {
      deadlineMs: DEADLINE_MS,
      what: `"${body}" at ${this.name}`,
    });
  }

  async send(to: string, ...texts: string[]): Promise<readonly string[]> {
    return this.order({ op: "send", to, texts, mode: "prompting" });
  }

  /** A message with files of its machine, which it stages itself. */
  async sendFiles(to: string, text: string, ...files: string[]): Promise<readonly string[]> {
    return this.order({ op: "send", to, texts: [text], mode: "prompting", files });
  }

  /** What it made of messages that came with files. */
  get received(): Extract<SessionEvent, { event: "received" }>[] {
    return this.#events.filter((event) => event.event === "received");
  }

  async order(order: WithoutId<SessionOrder>): Promise<readonly string[]> {
    const id = ++this.#orders;
    this.#child.stdin.write(`${JSON.stringify({ ...order, id })}\n`);
    const outcome = await eventually(() => this.#events.find((event) => "id" in event && event.id === id), {
      deadlineMs: DEADLINE_MS,
      what: `${this.name} to ${order.op}`,
    });
    if (outcome.event === "failed") throw Object.assign(new Error(outcome.message), { code: outcome.code });
    return outcome.event === "done" ? outcome.messageIds : [];
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    if (signal) this.#child.kill(signal);
    else this.#child.stdin.end();
    await ended;
  }
}
