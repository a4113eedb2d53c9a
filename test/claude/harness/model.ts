import path from "node:path";
import type { ModelTurn } from "../../../src/selftest/model-turn.ts";
import { bundleProgram } from "../../hosts/harness/bundle-fixture.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { Network } from "../../hosts/harness/network.ts";

const PORT = 8787;
const LOGS = "model";

const running = new WeakMap<Host, Promise<void>>();

/** Starts the stand-in model on a host, unless it runs there already. It ends with the host. */
export function ensureModel(network: Network, host: Host): Promise<void> {
  const started = running.get(host) ?? startModel(network, host);
  running.set(host, started);
  return started;
}

/** Where a session on the same host reaches it. */
export function modelUrl(session: string): string {
  return `http://127.0.0.1:${PORT}/${encodeURIComponent(session)}`;
}

/** What the model of a session was told and said, oldest first, without Claude Code's own side questions. */
export function modelTurns(host: Host, session: string): ModelTurn[] {
  const file = `${LOGS}/${encodeURIComponent(session)}.jsonl`;
  if (!host.exists(file)) return [];
  const lines = host.readFile(file).split("\n").slice(0, -1);
  return lines.map((line): ModelTurn => JSON.parse(line)).filter(({ tools }) => tools > 0);
}

async function startModel(network: Network, host: Host): Promise<void> {
  const program = await bundleProgram(network, path.join(import.meta.dirname, "model-program.ts"));
  host.putFile(`${LOGS}/.keep`, "");
  const model = host.spawn(network.node, [program, String(PORT), LOGS]);
  await model.waitOutput(/ready/);
}
