import { systemClock } from "../../core/clock.ts";
import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { beforeDeadline } from "../before-deadline.ts";
import { readKnownHosts } from "../known-hosts/known-hosts.ts";
import type { SshTarget } from "../ssh-target.ts";
import { type ConnectOptions, defaultTimeouts, type SshConnection } from "../transport.ts";
import { SystemConnection } from "./connection.ts";
import { handshakeError } from "./handshake-error.ts";
import { Master } from "./master.ts";
import { masterArguments } from "./ssh-arguments.ts";

/** The transport that is the system's `ssh`: one that holds the connection, and one more for each command. See `connectSsh`. */
export async function connect(target: SshTarget, options: ConnectOptions): Promise<SshConnection> {
  const clock = options.clock ?? systemClock;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const connectMs = options.timeouts?.connectMs ?? target.connectTimeoutMs ?? defaultTimeouts.connectMs;
  options.signal?.throwIfAborted();
  // ssh passes over a file that it cannot read, and a revocation could stand in it.
  for (let hop: SshTarget | undefined = target; hop; hop = hop.via) readKnownHosts(hop);
  const env = environment(options.env ?? process.env);
  const argumentsFor = (socket: string): string[] => masterArguments(target, { socket, connectMs, keepaliveMs: timeouts.keepaliveMs });
  const master = new Master(argumentsFor, env, clock);
  const ms = connectMs + timeouts.handshakeMs;
  const onTimeout = (): CcmError => tooSlow(target, ms, master.stderr);
  try {
    const isReady = await beforeDeadline(master.ready(), { ms, clock, signal: options.signal, onTimeout });
    if (!isReady) throw handshakeError(target, master.stderr);
    return new SystemConnection(master, { target, env, clock });
  } catch (error) {
    master.kill();
    await master.ended;
    throw error;
  }
}

/** Messages in English, and no window that asks for a passphrase. */
function environment({ SSH_ASKPASS: _askpass, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, LC_ALL: "C", SSH_ASKPASS_REQUIRE: "never" };
}

function tooSlow(target: SshTarget, ms: number, stderr: string): CcmError {
  const said = plainLine(stderr, 160);
  return new CcmError("timeout", `ssh did not get into ${target.alias} within ${ms / 1000} s${said === "" ? "" : `; it said: ${said}`}`, {
    hint: `a key may wait for a touch, or a program of your ssh configuration for an answer; try \`ssh ${target.typed}\``,
  });
}
