import { randomBytes } from "node:crypto";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteProcess } from "../ssh/transport.ts";
import { isExecutableName, type Packing, probeCommand, REMOTE_DIRECTORY } from "./remote-path.ts";
import type { ShipContext } from "./ship-context.ts";

/** The oldest GNU C library on which the runtime starts (Node 26, BUILDING.md). */
const MIN_GLIBC = [2, 28] as const;
/** The executable, and what it came packed in until it is in place. */
const SPACE_FACTOR = 1.4;
const MAX_ANSWER_BYTES = 1024 * 1024 + 64 * 1024;

const systems: Readonly<Record<string, string>> = { Linux: "linux", Darwin: "darwin" };
const machines: Readonly<Record<string, string>> = { x86_64: "x64", amd64: "x64", aarch64: "arm64", arm64: "arm64" };

/** What one question told about the other machine. */
export interface RemoteMachine {
  /** As Node names it where Node knows it: `linux-x64`, … */
  readonly platform: string;
  readonly library: { readonly name: string; readonly version: string };
  readonly packings: readonly Packing[];
  /** Undefined where it cannot be told. */
  readonly freeBytes: number | undefined;
  /** The executables of ours that are there, the newest first. */
  readonly versions: readonly string[];
  /** What a cut upload of the archive that was asked about has left. */
  readonly parts: readonly RemotePart[];
}

export interface RemotePart {
  readonly packing: Packing;
  /** As the `cksum` command counts. */
  readonly checksum: number;
  readonly bytes: number;
}

/** Asks. Rejects with `timeout`, and with `remote_failed` where the account runs no commands. */
export async function probeMachine(context: ShipContext, archive: string): Promise<RemoteMachine> {
  const marker = randomBytes(16).toString("hex");
  const { connection, clock, signal, timeouts } = context;
  const process = await connection.exec(probeCommand(marker, archive));
  const ms = timeouts.probeMs;
  const onTimeout = (): CcmError =>
    new CcmError("timeout", `${connection.description} did not say within ${ms / 1000} s which system it is`);
  try {
    const answer = await beforeDeadline(readAnswer(process), { ms, clock, signal, onTimeout });
    const lines = answer.split(`${marker} `).slice(1);
    return parseAnswer(lines.map((text) => text.split("\n")[0]?.trim() ?? "")) ?? runsNoCommands(connection.description, answer);
  } finally {
    process.close();
  }
}

/** Refuses where an executable for `platform` cannot run: `platform_unsupported` names both. */
export function requirePlatform(host: string, machine: RemoteMachine, platform: string): void {
  const { library } = machine;
  if (machine.platform !== platform) {
    throw new CcmError("platform_unsupported", `${host} is ${plainLine(machine.platform, 60)}; this executable is for ${platform}`, {
      hint: `put ccm-${plainLine(machine.platform, 60)} of this release and its .sha256 into ~/.cache/claude-code-message/artefacts here, or install it there and pair from that side`,
    });
  }
  if (library.name === "musl") throw tooOld(host, "has musl instead of the GNU C library");
  if (library.name === "glibc" && isOlder(library.version)) throw tooOld(host, `has glibc ${plainLine(library.version, 20)}`);
}

/** Refuses where the executable of that many bytes and its archive have no room: `push_failed` before anything is sent. */
export function requireSpace(host: string, { freeBytes }: RemoteMachine, executableBytes: number): void {
  const neededBytes = executableBytes * SPACE_FACTOR;
  if (freeBytes === undefined || freeBytes >= neededBytes) return;
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  throw new CcmError("push_failed", `cannot install ccm on ${host}: its disk is full (${megabytes(freeBytes)} free)`, {
    hint: `free space there for ${megabytes(neededBytes)} in ${REMOTE_DIRECTORY}`,
  });
}

function parseAnswer([first, ...lines]: readonly string[]): RemoteMachine | undefined {
  if (first === undefined) return undefined;
  const [system = "", machine = "", name = "", version = ""] = first.split(/\s+/);
  const facts = lines.map((line) => line.split(/\s+/));
  const valuesOf = (keyword: string): string[][] => facts.filter(([word]) => word === keyword).map((words) => words.slice(1));
  const freeKilobytes = Number(valuesOf("free")[0]?.[0] || Number.NaN);
  return {
    platform: `${systems[system] ?? system}-${machines[machine] ?? machine}`,
    library: { name, version },
    packings: valuesOf("zstd").length > 0 ? ["zstd", "gzip"] : ["gzip"],
    freeBytes: Number.isFinite(freeKilobytes) ? freeKilobytes * 1024 : undefined,
    versions: valuesOf("have").flatMap(([executable = ""]) => (isExecutableName(executable) ? [executable] : [])),
    parts: valuesOf("part").flatMap(([packing, checksum, bytes]) =>
      packing === "gzip" || packing === "zstd" ? [{ packing, checksum: Number(checksum), bytes: Number(bytes) }] : [],
    ),
  };
}

function runsNoCommands(host: string, answer: string): never {
  throw new CcmError("remote_failed", `${host} does not run commands; it says: ${plainLine(answer, 160) || "nothing"}`, {
    hint: "the account needs an ordinary login shell, without a forced command",
  });
}

function tooOld(host: string, what: string): CcmError {
  const needed = `glibc ${MIN_GLIBC.join(".")} or newer`;
  return new CcmError("platform_unsupported", `${host} ${what}; ccm needs ${needed}`, { hint: `use a system there that has ${needed}` });
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < MIN_GLIBC[0] || (major === MIN_GLIBC[0] && minor < MIN_GLIBC[1]);
}

/** All of stdout, noise included, up to a limit. */
async function readAnswer(process: RemoteProcess): Promise<string> {
  process.stdin.end();
  process.stderr.resume();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
