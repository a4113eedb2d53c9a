import path from "node:path";
import { bundleProgram } from "../../hosts/harness/bundle-fixture.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { HostProcess } from "../../hosts/harness/host-process.ts";
import type { Network } from "../../hosts/harness/network.ts";
import type { WireState } from "../fixtures/slow-wire.ts";

const LISTEN_PORT = 2022;
const SSH_PORT = 22;
const GOOD: WireState = { delayMs: 0, pieceBytes: 0, stalled: false };

/** What ssh connections to a host go through. */
export class SlowWire {
  readonly port = LISTEN_PORT;
  readonly #process: HostProcess;

  private constructor(started: HostProcess) {
    this.#process = started;
  }

  static async start(network: Network, host: Host): Promise<SlowWire> {
    const program = await bundleProgram(network, path.join(import.meta.dirname, "..", "fixtures", "slow-wire.ts"));
    const started = host.spawn(network.node, [program, String(LISTEN_PORT), String(SSH_PORT)]);
    await started.waitOutput(/ready/, 30_000);
    return new SlowWire(started);
  }

  set(state: Partial<WireState>): void {
    this.#process.stdin.write(`${JSON.stringify({ ...GOOD, ...state })}\n`);
  }

  async close(): Promise<void> {
    await this.#process.close();
  }
}
