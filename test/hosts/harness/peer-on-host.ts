import type { PeerCommand } from "../../../src/peer/schema/input.ts";
import type { EventOf, PeerEvent } from "../../../src/peer/schema/output.ts";
import type { Host } from "./host.ts";
import type { HostProcess } from "./host-process.ts";
import { waitFor } from "./wait-for.ts";

type CommandFields = PeerCommand extends infer Command ? (Command extends PeerCommand ? Omit<Command, "id"> : never) : never;

/** A `ccm peer` on a host, whose `ccm` is installed. It ends with the host at the latest. */
export class PeerOnHost {
  readonly #process: HostProcess;
  #lastId = 0;

  private constructor(started: HostProcess) {
    this.#process = started;
  }

  static async start(host: Host, words: readonly string[]): Promise<PeerOnHost> {
    const peer = new PeerOnHost(host.spawn("ccm", ["peer", ...words]));
    await peer.event("ready");
    return peer;
  }

  get events(): PeerEvent[] {
    const lines = this.#process.stdoutText.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  get stderrText(): string {
    return this.#process.stderrText;
  }

  all<Kind extends PeerEvent["event"]>(kind: Kind): EventOf<Kind>[] {
    return this.events.filter((event): event is EventOf<Kind> => event.event === kind);
  }

  event<Kind extends PeerEvent["event"]>(
    kind: Kind,
    matches: (event: EventOf<Kind>) => boolean = () => true,
    deadlineMs = 10_000,
  ): Promise<EventOf<Kind>> {
    const otherwise = () => `${this.#process.stdoutText}${this.stderrText}`;
    return waitFor(() => this.all(kind).find(matches), { what: `an event "${kind}"`, deadlineMs, otherwise });
  }

  /** Gives a command and waits for its result. */
  async command(fields: CommandFields): Promise<EventOf<"result">> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#process.stdin.write(`${JSON.stringify({ id, ...fields })}\n`);
    return await this.event("result", (result) => result.id === id);
  }

  /** Ends its input; its exit code. */
  async end(): Promise<number | undefined> {
    this.#process.stdin.end();
    return (await this.#process.exit).code;
  }

  async kill9(): Promise<void> {
    await this.#process.kill("SIGKILL");
    await this.#process.exit;
  }
}
