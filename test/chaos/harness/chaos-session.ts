import type { Host } from "../../hosts/harness/host.ts";
import type { HostProcess } from "../../hosts/harness/host-process.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import type { ChaosEvent, ChaosOrder } from "../fixtures/chaos-session.ts";

export interface ChaosSessionOptions {
  readonly network: Network;
  readonly host: Host;
  /** The bundled program, at a path that the host sees. */
  readonly program: string;
  readonly name: string;
  readonly onEvent: (session: ChaosSession, event: ChaosEvent) => void;
}

/** A session that writes to whom it finds, and its process on a host. */
export class ChaosSession {
  readonly host: Host;
  readonly name: string;
  readonly pid: number;
  /** When it was killed or ended, if it was. */
  endedAt: number | undefined;
  readonly #process: HostProcess;
  #isResting = true;

  private constructor({ host, name }: ChaosSessionOptions, started: HostProcess, pid: number) {
    this.host = host;
    this.name = name;
    this.pid = pid;
    this.#process = started;
  }

  /** As its messages name it: label of its machine and name. */
  get key(): string {
    return `${this.host.name}/${this.name}`;
  }

  static async start(options: ChaosSessionOptions): Promise<ChaosSession> {
    const started = options.host.spawn(options.network.node, [options.program, options.host.name, options.name]);
    const early: ChaosEvent[] = [];
    let session: ChaosSession | undefined;
    let rest = "";
    started.stdout.on("data", (chunk: Buffer | string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event: ChaosEvent = JSON.parse(line);
        if (session) session.#take(event, options.onEvent);
        else early.push(event);
      }
    });
    const ready = await waitFor(() => early.find((event) => event.event === "ready"), {
      what: `session ${options.name} on ${options.host.name}`,
      deadlineMs: 30_000,
      otherwise: () => started.stderrText,
    });
    session = new ChaosSession(options, started, ready.event === "ready" ? ready.pid : 0);
    return session;
  }

  go(everyMs: number): void {
    this.#isResting = false;
    this.#order({ op: "go", everyMs });
  }

  /** Writes nothing new; settles when nothing is under way. */
  async rest(): Promise<void> {
    if (this.endedAt !== undefined) return;
    this.#order({ op: "rest" });
    await waitFor(() => this.#isResting || this.endedAt !== undefined, { what: `${this.key} to rest`, deadlineMs: 30_000 });
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    await this.#process.kill(signal);
  }

  async kill9(): Promise<void> {
    this.endedAt = Date.now();
    await this.#process.kill("SIGKILL");
    await this.#process.exit;
  }

  async close(): Promise<void> {
    if (this.endedAt !== undefined) return;
    this.endedAt = Date.now();
    // A busy machine takes longer to end a process than `close` waits.
    await this.#process.close().catch(() => this.#process.exit);
  }

  #order(order: ChaosOrder): void {
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
  }

  #take(event: ChaosEvent, onEvent: ChaosSessionOptions["onEvent"]): void {
    if (event.event === "resting") this.#isResting = true;
    onEvent(this, event);
  }
}
