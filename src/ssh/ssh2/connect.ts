import type { Duplex } from "node:stream";
import { type AuthHandlerMiddleware, Client, type ServerHostKeyAlgorithm } from "ssh2";
import { systemClock } from "../../core/clock.ts";
import { CcmError, toCcmError } from "../../core/errors.ts";
import { beforeDeadline } from "../before-deadline.ts";
import { hostKeyAlgorithms } from "../known-hosts/host-key-algorithms.ts";
import { type KnownHosts, readKnownHosts } from "../known-hosts/known-hosts.ts";
import { fingerprintOf, rememberHostKey } from "../known-hosts/remember-host-key.ts";
import { verifyHostKey } from "../known-hosts/verify-host-key.ts";
import type { SshTarget } from "../ssh-target.ts";
import { type ConnectOptions, defaultTimeouts, type SshTimeouts } from "../transport.ts";
import { type AuthenticationLog, authentication } from "./authentication.ts";
import { Ssh2Connection } from "./connection.ts";
import { handshakeError } from "./handshake-error.ts";
import { openStream } from "./open-stream.ts";

/** The transport that needs nothing installed. See `connectSsh` for the contract. A jump host is a connection of its own, to begin with. */
export async function connect(target: SshTarget, options: ConnectOptions): Promise<Ssh2Connection> {
  const clock = options.clock ?? systemClock;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const known = readKnownHosts(target);
  const algorithms = hostKeyAlgorithms(known, target.hostKeyAlgorithms);
  if (algorithms.length === 0) throw noAlgorithm(target);
  const stream = await openStream(target, {
    connectMs: options.timeouts?.connectMs,
    clock,
    env: options.env ?? process.env,
    signal: options.signal,
    connectHop: (hop) => connect(hop, options),
  });
  const client = new Client();
  try {
    const { handler, log } = authentication(target, options.env ?? process.env);
    const work = handshake(client, stream, {
      target,
      handler,
      log,
      timeouts,
      algorithms,
      verify: (key) => verifyOrAccept(target, known, key, options.acceptedFingerprints ?? []),
    });
    const onTimeout = (): CcmError => tooSlow(target, log, timeouts.handshakeMs);
    await beforeDeadline(work, { ms: timeouts.handshakeMs, clock, signal: options.signal, onTimeout });
    return new Ssh2Connection(client, stream, { target, clock, execMs: timeouts.execMs });
  } catch (error) {
    client.on("error", () => {});
    stream.destroy();
    throw error;
  }
}

interface Handshake {
  readonly target: SshTarget;
  readonly timeouts: SshTimeouts;
  readonly handler: AuthHandlerMiddleware;
  readonly log: AuthenticationLog;
  readonly algorithms: readonly string[];
  /** Throws for a key that is not to be trusted. */
  readonly verify: (key: Buffer) => void;
}

/** Settles when we are in, or with the first reason why not. The deadline is the caller's. */
function handshake(client: Client, stream: Duplex, { target, timeouts, handler, log, algorithms, verify }: Handshake): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(handshakeError(target, log, error));
    client.once("ready", resolve);
    // The agent's errors and a key that cannot sign are not the end: ssh2 goes on to the next key.
    client.on("error", (error) => {
      if (error.level === "agent" || (error.level === "client-authentication" && !log.exhausted)) return;
      fail(error);
    });
    client.once("close", () => fail(new Error("it hung up")));
    const hostVerifier = (key: Buffer): boolean => {
      try {
        verify(key);
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    };
    client.connect({
      sock: stream,
      username: target.user,
      authHandler: handler,
      hostVerifier,
      algorithms: { serverHostKey: algorithms as ServerHostKeyAlgorithm[] },
      readyTimeout: 0,
      keepaliveInterval: timeouts.keepaliveMs,
      keepaliveCountMax: 3,
    });
  });
}

function verifyOrAccept(target: SshTarget, known: KnownHosts, key: Buffer, accepted: readonly string[]): void {
  try {
    verifyHostKey(target, known, key);
  } catch (error) {
    if (toCcmError(error).code !== "host_key_unknown" || !accepted.includes(fingerprintOf(key))) throw error;
    rememberHostKey(target, key);
  }
}

function tooSlow(target: SshTarget, log: AuthenticationLog, ms: number): CcmError {
  const key = log.signing();
  if (key !== undefined) {
    return new CcmError("timeout", `the ssh agent has not signed for ${target.alias} with ${key} within ${ms / 1000} s`, {
      hint: "the key may wait for a touch or a confirmation: give it, or let ccm have a key that needs none (IdentityFile, IdentitiesOnly)",
    });
  }
  return new CcmError("timeout", `${target.alias} accepted the connection but did not finish the ssh handshake within ${ms / 1000} s`, {
    hint: `check with \`ssh -v ${target.user}@${target.alias}\` what it waits for`,
  });
}

function noAlgorithm(target: SshTarget): CcmError {
  return new CcmError("ssh_config_unsupported", `HostKeyAlgorithms for ${target.alias} leaves none that ccm can check`, {
    hint: "allow ssh-ed25519, an ecdsa-sha2 type or rsa-sha2-512 for it in ~/.ssh/config",
  });
}
