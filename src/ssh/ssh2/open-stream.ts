import net from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import { CcmError, systemErrorCode } from "../../core/errors.ts";
import { beforeDeadline } from "../before-deadline.ts";
import type { SshTarget } from "../ssh-target.ts";
import { defaultTimeouts } from "../transport.ts";
import { type Hop, openThroughHop } from "./hop-stream.ts";
import { openProxyCommand } from "./proxy-command.ts";

export interface OpenStreamOptions {
  /** Undefined for what the configuration says, or else the default. */
  readonly connectMs: number | undefined;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
  /** Connects to a jump host, with deadlines of its own. */
  readonly connectHop: (hop: SshTarget) => Promise<Hop>;
}

/**
 * The byte stream to the other machine's sshd: through its jump host, by its ProxyCommand, or a TCP connection. Rejects with
 * `host_not_found`, `host_unreachable`, `timeout` or what keeps us from the jump host, and nothing is left open then.
 */
export async function openStream(target: SshTarget, options: OpenStreamOptions): Promise<Duplex> {
  const { via, proxyCommand } = target;
  if (via !== undefined) return await openByJump(target, via, options);
  if (proxyCommand !== undefined) return openProxyCommand(target, proxyCommand, options.env);
  return await openTcp(target, options);
}

async function openByJump(target: SshTarget, via: SshTarget, { connectMs, clock, signal, connectHop }: OpenStreamOptions): Promise<Duplex> {
  const hop = await connectHop(via);
  const ms = connectMs ?? target.connectTimeoutMs ?? defaultTimeouts.connectMs;
  const onTimeout = (): CcmError => unreachable(target, "timeout", `no answer through ${via.alias} within ${ms / 1000} s`);
  try {
    return await beforeDeadline(openThroughHop(target, hop), { ms, clock, signal, onTimeout });
  } catch (error) {
    hop.close();
    throw error;
  }
}

/** Small messages go out at once: without this each waits 40 ms for the one before. */
async function openTcp(target: SshTarget, { connectMs, clock, signal }: OpenStreamOptions): Promise<net.Socket> {
  const ms = connectMs ?? target.connectTimeoutMs ?? defaultTimeouts.connectMs;
  const socket = net.connect({
    host: target.host,
    port: target.port,
    noDelay: true,
    ...(target.addressFamily && { family: target.addressFamily }),
  });
  const connected = new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const onTimeout = (): CcmError => unreachable(target, "timeout", `no answer within ${ms / 1000} s`);
  try {
    await beforeDeadline(connected, { ms, clock, signal, onTimeout });
    gatherWrites(socket);
    return socket;
  } catch (error) {
    socket.on("error", () => {}).destroy();
    throw error instanceof CcmError || signal?.aborted ? error : connectError(target, error);
  }
}

/** ssh2 writes each packet in three pieces: they leave together at the end of the turn, in one segment that wakes sshd once. */
function gatherWrites(socket: net.Socket): void {
  const write = socket.write;
  let corked = false;
  const uncork = (): void => {
    corked = false;
    socket.uncork();
  };
  socket.write = function gathered(...args: unknown[]): boolean {
    if (!corked) process.nextTick(uncork);
    if (!corked) socket.cork();
    corked = true;
    return Reflect.apply(write, socket, args);
  };
}

function connectError(target: SshTarget, error: unknown): CcmError {
  // Several addresses were tried: the last one's reason stands for all.
  const cause = error instanceof AggregateError ? error.errors.at(-1) : error;
  const code = systemErrorCode(cause) ?? "";
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    return new CcmError("host_not_found", `the name ${target.host} is not found (${code})`, {
      hint: "check the name and this machine's network, or give it a HostName in ~/.ssh/config",
      cause,
    });
  }
  return unreachable(target, "host_unreachable", reasons[code] ?? (code || String(cause)), cause);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens on that port",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no network to it",
  ETIMEDOUT: "no answer",
  ECONNRESET: "it hung up",
};

function unreachable(target: SshTarget, code: "timeout" | "host_unreachable", reason: string, cause?: unknown): CcmError {
  return new CcmError(code, `cannot reach ${target.host} port ${target.port}: ${reason}`, {
    hint: `check that ${target.alias} is up and that its sshd listens there`,
    cause,
  });
}
