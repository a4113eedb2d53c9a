import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { linkProtocol } from "../core/build-info.ts";
import { CcmError } from "../core/errors.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import { adoptCommand, executableName } from "./remote-path.ts";
import type { ShipContext } from "./ship-context.ts";

/** A ccm that somebody has installed on the other machine, as its own `--version` says. */
export interface InstalledThere {
  readonly version: string;
  readonly buildId: string;
  readonly protocol: { readonly min: number; readonly max: number };
}

const VERSION_LINE = /^ccm ([\w.+-]{1,60}) \(commit \S{1,60}, build ([\w.+-]{1,60}), link protocol (\d{1,4})(?:-(\d{1,4}))?,/;

/** Undefined for the line of another program. */
export function parseVersionLine(line: string): InstalledThere | undefined {
  const [matched, version = "", buildId = "", min = "", max = min] = line.match(VERSION_LINE) ?? [];
  return matched === undefined ? undefined : { version, buildId, protocol: { min: Number(min), max: Number(max) } };
}

/** Whether this program and that one can talk. */
export function isCompatible({ protocol }: InstalledThere): boolean {
  return protocol.min <= linkProtocol.max && protocol.max >= linkProtocol.min;
}

/**
 * Gives an installed executable its name among ours, so that it is started and swept as they are, and an update of the installed one
 * changes nothing under a link. Resolves with that name; undefined where it cannot be: then it has to be sent.
 */
export async function adopt(context: ShipContext, installed: InstalledThere): Promise<string | undefined> {
  const { connection, clock, signal, timeouts } = context;
  const name = executableName(installed);
  const process = await connection.exec(adoptCommand({ name, buildId: installed.buildId, nonce: randomBytes(16).toString("hex") }));
  const ms = timeouts.settleMs;
  const onTimeout = (): CcmError =>
    new CcmError("timeout", `${connection.description} did not copy its installed ccm within ${ms / 1000} s`);
  try {
    process.stdin.end();
    process.stderr.resume();
    const ended = Promise.all([process.exit, text(process.stdout)]).then(([exit]) => exit);
    const { code } = await beforeDeadline(ended, { ms, clock, signal, onTimeout });
    return code === 0 ? name : undefined;
  } finally {
    process.close();
  }
}
