import { randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteExit, RemoteProcess, SshConnection } from "../ssh/transport.ts";
import { findArtefact as findArtefactHere } from "./artefacts.ts";
import { fetchArtefact as fetchArtefactFrom } from "./fetch-artefact.ts";
import { MAX_NOISE_BYTES, type NonceSearch, skipToNonce } from "./nonce-line.ts";
import type { OwnExecutable } from "./own-executable.ts";
import { type FindArtefact, type PushProgress, push } from "./push.ts";
import { executableName, serveCommand } from "./remote-path.ts";
import { defaultShipTimeouts, type ShipContext, type ShipTimeouts } from "./ship-context.ts";
import { keepTail } from "./stderr-tail.ts";

export interface StartServeOptions {
  readonly executable: OwnExecutable;
  /** `paths.cache`: what is prepared for sending is kept in there. */
  readonly cacheDirectory: string;
  /** Called only if the executable has to be sent. */
  readonly onProgress?: (progress: PushProgress) => void;
  /** The executable for another platform; looked for in the cache and beside this one unless given. */
  readonly findArtefact?: FindArtefact;
  /** Where releases are, an https address or a directory, for what is not here; nothing is fetched where this is not known. */
  readonly releases?: string | undefined;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly timeouts?: Partial<ShipTimeouts>;
}

/** `ccm serve` on the other machine, past everything that its login shell had to say. */
export interface RemoteServe {
  /** What the other end of the link says, from the first byte after the nonce line. */
  readonly readable: Readable;
  readonly writable: Writable;
  /** The beginning of what came before the nonce, as it came; at most 4 KiB. */
  readonly noise: string;
  /** The end of what was written to stderr so far, as it came; at most 4 KiB. */
  stderrTail(): string;
  readonly exit: Promise<RemoteExit>;
  /** Whether the executable had to be sent. */
  readonly pushed: boolean;
  /** Ends its stdin, gives it two seconds to leave, then closes the channel. Never rejects. The connection stays. */
  close(): Promise<void>;
}

const LEAVE_MS = 2_000;

/**
 * Starts `serve` over there; where the executable is missing, sends it, once, and starts again. Rejects with `remote_failed` quoting what
 * came instead of the nonce, `timeout`, or what `push` says; no remote process is left then. The caller owns the connection.
 */
export async function startServe(connection: SshConnection, options: StartServeOptions): Promise<RemoteServe> {
  const timeouts = { ...defaultShipTimeouts, ...options.timeouts };
  const context: ShipContext = { connection, clock: options.clock ?? systemClock, signal: options.signal, timeouts };
  const name = executableName(options.executable);
  const first = await attempt(context, name);
  if (first.state === "serving") return served(context, first, false);
  if (!isNotThere(first.exit)) throw startError(context, first);
  const { executable: own, cacheDirectory, onProgress, releases } = options;
  const findArtefact = options.findArtefact ?? ((platform) => findArtefactHere(platform, { own, cacheDirectory }));
  const fetchArtefact: FindArtefact = async (platform) =>
    releases === undefined ? undefined : await fetchArtefactFrom(platform, { own, cacheDirectory, releases });
  const { name: placed, sent } = await push(context, { executable: own, cacheDirectory, onProgress, findArtefact, fetchArtefact });
  const second = await attempt(context, placed);
  if (second.state === "serving") return served(context, second, sent);
  throw startError(context, second);
}

interface Serving {
  readonly state: "serving";
  readonly process: RemoteProcess;
  readonly noise: string;
  readonly stderrTail: () => string;
}

interface Ended {
  readonly state: "ended";
  readonly exit: RemoteExit;
  readonly search: NonceSearch;
  readonly stderr: string;
}

/** What a shell says of a program that it cannot find, or may not or cannot run. */
function isNotThere(exit: RemoteExit): boolean {
  return exit.code === 127 || exit.code === 126;
}

async function attempt(context: ShipContext, name: string): Promise<Serving | Ended> {
  const nonce = randomBytes(16).toString("hex");
  const { connection, clock, signal, timeouts } = context;
  signal?.throwIfAborted();
  const process = await connection.exec(serveCommand(name, nonce));
  const stderrTail = keepTail(process.stderr);
  const ms = timeouts.nonceMs;
  const onTimeout = (): CcmError => silent(context, ms, stderrTail());
  try {
    return await beforeDeadline(waitForNonce(process, nonce, stderrTail), { ms, clock, signal, onTimeout });
  } catch (error) {
    process.close();
    throw error;
  }
}

async function waitForNonce(process: RemoteProcess, nonce: string, stderrTail: () => string): Promise<Serving | Ended> {
  const search = await skipToNonce(process.stdout, nonce);
  if (search.outcome === "found") return { state: "serving", process, noise: search.noise, stderrTail };
  if (search.outcome === "too-noisy") process.close();
  const [exit] = await Promise.all([process.exit, finished(process.stderr).catch(() => {})]);
  process.close();
  return { state: "ended", exit, search, stderr: stderrTail() };
}

function served(context: ShipContext, { process, noise, stderrTail }: Serving, pushed: boolean): RemoteServe {
  const close = async (): Promise<void> => {
    process.stdin.end();
    const onTimeout = (): Error => new Error("it did not leave");
    await beforeDeadline(process.exit, { ms: LEAVE_MS, clock: context.clock, onTimeout }).catch(() => {});
    process.close();
  };
  return { readable: process.stdout, writable: process.stdin, noise, stderrTail, exit: process.exit, pushed, close };
}

function startError(context: ShipContext, { exit, search, stderr }: Ended): CcmError {
  const host = context.connection.description;
  const said = plainLine([search.noise, stderr].filter(Boolean).join(" "), 240) || "nothing";
  if (search.outcome === "too-noisy") {
    return new CcmError("remote_failed", `${host} printed more than ${MAX_NOISE_BYTES} bytes before ccm could speak: ${said}`, {
      hint: "quieten the shell's start-up files there for shells that are not interactive",
    });
  }
  if (exit.code === undefined && exit.signal === undefined) {
    return new CcmError("ssh_failed", `${host}: the connection ended while ccm was starting there; it said: ${said}`, {
      hint: "it is tried again with the next connection",
    });
  }
  const status = exit.code === undefined ? `signal ${exit.signal}` : `exit ${exit.code}`;
  return new CcmError("remote_failed", `ccm did not start on ${host} (${status}); it said: ${said}`, {
    hint: "log in there and check that the account runs commands and that its shell's start-up files do not end it",
  });
}

function silent(context: ShipContext, ms: number, stderr: string): CcmError {
  const said = plainLine(stderr, 200) || "nothing";
  return new CcmError("timeout", `${context.connection.description} did not start ccm within ${ms / 1000} s; it said: ${said}`, {
    hint: "check for something in the shell's start-up files there that waits",
  });
}
