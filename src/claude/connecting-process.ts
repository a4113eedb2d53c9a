import type net from "node:net";

type GetSocketOption = (descriptor: number, level: number, option: number, value: Buffer, length: Buffer) => number;

interface PeerOption {
  readonly level: number;
  readonly option: number;
  /** The answer begins with the pid as a 32-bit number. */
  readonly bytes: number;
}

/** Where the kernel says who is at the other end: SO_PEERCRED of Linux (SOL_SOCKET), LOCAL_PEERPID of macOS (SOL_LOCAL). */
const PEER_OPTIONS: Partial<Record<NodeJS.Platform, PeerOption>> = {
  linux: { level: 1, option: 17, bytes: 12 },
  darwin: { level: 0, option: 2, bytes: 4 },
};

let getSocketOption: GetSocketOption | undefined | "unavailable";

/**
 * The process that made a connection, as the kernel recorded it then; undefined where this build of Node cannot ask (it takes Node's
 * foreign function interface, which is experimental). Never throws.
 */
export function connectingProcess(socket: net.Socket): number | undefined {
  const option = PEER_OPTIONS[process.platform];
  const descriptor = descriptorOf(socket);
  getSocketOption ??= loadGetSocketOption() ?? "unavailable";
  if (!option || descriptor === undefined || getSocketOption === "unavailable") return undefined;
  const value = Buffer.alloc(option.bytes);
  const length = Buffer.alloc(4);
  length.writeInt32LE(option.bytes);
  try {
    if (getSocketOption(descriptor, option.level, option.option, value, length) !== 0) return undefined;
  } catch {
    return undefined;
  }
  const pid = value.readInt32LE(0);
  return pid > 0 ? pid : undefined;
}

/** Node has no public name for it. */
function descriptorOf(socket: net.Socket): number | undefined {
  const descriptor = (socket as { _handle?: { fd?: unknown } | null })._handle?.fd;
  return typeof descriptor === "number" && descriptor >= 0 ? descriptor : undefined;
}

function loadGetSocketOption(): GetSocketOption | undefined {
  const { emitWarning } = process;
  // That it is experimental is our affair: what a program writes to stderr is for its person.
  process.emitWarning = () => undefined;
  try {
    const ffi = process.getBuiltinModule("node:ffi");
    const argument = ["i32", "i32", "i32", "pointer", "pointer"] as const;
    return ffi?.dlopen(null, { getsockopt: { arguments: argument, return: "i32" } }).functions.getsockopt as GetSocketOption | undefined;
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
