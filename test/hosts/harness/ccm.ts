import fs from "node:fs";
import path from "node:path";
import type { ErrorCode } from "../../../src/core/errors.ts";
import { exitCodes } from "../../../src/core/errors.ts";
import type { DaemonStatus } from "../../../src/daemon/control-protocol.ts";
import type { Host } from "./host.ts";
import { whyNoHosts } from "./prerequisites.ts";
import { mirrorNames } from "./registry-files.ts";
import type { CommandResult } from "./run-command.ts";
import { waitFor } from "./wait-for.ts";

/** The executable under test. */
export const ccmExecutable = path.join(import.meta.dirname, "..", "..", "..", "dist", "ccm");

/** Why the built program cannot be tested on hosts here, or false where it can. */
export function whyNoCcm(): string | false {
  return whyNoHosts() || (!fs.existsSync(ccmExecutable) && "dist/ccm is not built (npm run build)");
}

/** Runs `ccm` on a host, to its end, whatever that is. */
export function runCcm(host: Host, args: readonly string[], input?: string): Promise<CommandResult> {
  return host.exec("ccm", args, input === undefined ? {} : { input });
}

/** Runs `ccm`, which must succeed; returns its stdout. */
export async function ccm(host: Host, ...args: string[]): Promise<string> {
  const result = await runCcm(host, args);
  if (result.code === 0) return result.stdout;
  throw new Error(`ccm ${args.join(" ")} on ${host.name} ended with ${result.code}: ${result.stderr}${result.stdout}\n${daemonLog(host)}`);
}

/** Runs `ccm`, which must fail with that code; returns what it ends with on stderr: one line, and a second one with what to do. */
export async function ccmFailing(host: Host, code: ErrorCode, ...args: string[]): Promise<string> {
  const result = await runCcm(host, args);
  const said = `${result.stderr}${result.stdout}`;
  if (result.code !== exitCodes[code]) {
    throw new Error(`ccm ${args.join(" ")}: expected ${code} (${exitCodes[code]}), got ${result.code}: ${said}`);
  }
  // What it was doing (`connecting to …`) may stand before it.
  const [failure] = /^ccm: .+\n {4}.+\n$/m.exec(result.stderr) ?? [];
  if (failure === undefined || !result.stderr.endsWith(failure)) throw new Error(`not one line and what to do: ${said}`);
  return failure;
}

/** Puts the program on `dialler` only, gives it the label, pairs, and waits until its mirrors are `expected`. */
export async function pairHosts(dialler: Host, other: Host, label = dialler.name): Promise<void> {
  dialler.installCcm(ccmExecutable);
  await ccm(dialler, "init", "--label", label);
  await ccm(dialler, "pair", other.name);
}

/** Waits until the mirrors on a host are exactly these. */
export async function waitMirrors(host: Host, names: readonly string[], deadlineMs = 2_000): Promise<void> {
  const wanted = JSON.stringify([...names].sort());
  await waitFor(() => JSON.stringify(mirrorNames(host)) === wanted, {
    what: `the mirrors ${wanted} on ${host.name}`,
    deadlineMs,
    otherwise: () => `${JSON.stringify(mirrorNames(host))}\n${daemonLog(host)}`,
  });
}

/** What the daemon of a host last wrote about itself. */
export function daemonStatus(host: Host): DaemonStatus {
  return JSON.parse(host.readFile(`${STATE}/status.json`));
}

/** What the daemon of a host has logged; for the message of a failure. */
export function daemonLog(host: Host): string {
  return host.exists(`${STATE}/daemon.log`) ? host.readFile(`${STATE}/daemon.log`) : "(no daemon.log)";
}

const STATE = ".local/state/claude-code-message";
