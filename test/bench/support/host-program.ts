import path from "node:path";
import * as esbuild from "esbuild";
import { LineReader } from "../../../src/core/line-reader.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { HostProcess } from "../../hosts/harness/host-process.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { withDeadline } from "../../hosts/harness/wait-for.ts";
import type { OrderAnswer } from "./orders.ts";

const DEADLINE_MS = 60_000;
const bundles = new WeakMap<Network, Map<string, Promise<string>>>();

/** A program of `programs/` that runs on a host and takes orders. Ends with its host at the latest. */
export class HostProgram<Order> {
  readonly #process: HostProcess;
  readonly #waiting: PromiseWithResolvers<OrderAnswer>[] = [];

  private constructor(started: HostProcess) {
    this.#process = started;
    const lines = new LineReader({
      maxBytes: 64 * 1024 * 1024,
      onLine: (line) => this.#waiting.shift()?.resolve(JSON.parse(line)),
      onOverflow: () => {},
    });
    started.stdout.on("data", (chunk: Buffer) => lines.push(Buffer.from(chunk)));
    const fail = () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the program ended: ${started.stderrText}`));
    };
    started.exit.then(fail, fail);
  }

  /** Settles when it says that it is ready. */
  static async start<Order>(network: Network, host: Host, name: string, args: readonly string[] = []): Promise<HostProgram<Order>> {
    const file = await bundleProgram(network, name);
    const program = new HostProgram<Order>(host.spawn(network.node, [file, ...args]));
    await program.#answer(`${name} to be ready`);
    return program;
  }

  /** Rejects with what the program says went wrong. */
  async ask<Value>(order: Order): Promise<Value> {
    const answered = this.#answer(JSON.stringify(order));
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
    return (await answered) as Value;
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #answer(what: string): Promise<unknown> {
    const waiting = Promise.withResolvers<OrderAnswer>();
    this.#waiting.push(waiting);
    const answer = await withDeadline(waiting.promise, what, DEADLINE_MS);
    if ("error" in answer) throw new Error(`${what}: ${answer.error}`);
    return answer.value;
  }
}

function bundleProgram(network: Network, name: string): Promise<string> {
  const known = bundles.get(network) ?? new Map<string, Promise<string>>();
  bundles.set(network, known);
  const file = known.get(name) ?? bundle(path.join(network.directory, "lib", `${name}.mjs`), name);
  known.set(name, file);
  return file;
}

async function bundle(outfile: string, name: string): Promise<string> {
  try {
    await esbuild.build({
      entryPoints: [path.join(import.meta.dirname, "..", "programs", `${name}.ts`)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node26",
      // ssh2 does without its native add-ons.
      external: ["*.node", "cpu-features"],
      // ssh2 is CommonJS and asks for what that has.
      define: { __dirname: "import.meta.dirname" },
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      logLevel: "warning",
    });
  } finally {
    await esbuild.stop();
  }
  return outfile;
}
