import { randomBytes } from "node:crypto";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteProcess } from "../ssh/transport.ts";
import { type InstalledThere, parseVersionLine } from "./installed-there.ts";
import { isExecutableName, type Packing, probeCommand } from "./remote-path.ts";
import type { ShipContext } from "./ship-context.ts";

const MAX_ANSWER_BYTES = 1024 * 1024 + 64 * 1024;

const systems: Readonly<Record<string, string>> = { Linux: "linux", Darwin: "darwin" };
const machines: Readonly<Record<string, string>> = { x86_64: "x64", amd64: "x64", aarch64: "arm64", arm64: "arm64" };

/** What one question told about the other machine. */
export interface RemoteMachine {
  /** As Node names it where Node knows it: `linux-x64`, … */
  readonly platform: string;
  readonly library: { readonly name: string; readonly version: string };
  /** Shared libraries that the runtime needs and the system does not know. */
  readonly lacks: readonly string[];
  readonly packings: readonly Packing[];
  /** Undefined where it cannot be told. */
  readonly freeBytes: number | undefined;
  /** Where the disk of our directory is mounted, if no program on it may run. */
  readonly noexec: string | undefined;
  /** What somebody has installed there. */
  readonly installed: readonly InstalledThere[];
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

function parseAnswer([first, ...lines]: readonly string[]): RemoteMachine | undefined {
  if (first === undefined) return undefined;
  const [system = "", machine = "", name = "", version = ""] = first.split(/\s+/);
  const facts = lines.map((line) => line.split(/\s+/));
  const valuesOf = (keyword: string): string[][] => facts.filter(([word]) => word === keyword).map((words) => words.slice(1));
  const freeKilobytes = Number(valuesOf("free")[0]?.[0] || Number.NaN);
  return {
    platform: `${systems[system] ?? system}-${machines[machine] ?? machine}`,
    library: { name, version },
    lacks: valuesOf("lacks").flatMap(([name]) => name ?? []),
    packings: valuesOf("zstd").length > 0 ? ["zstd", "gzip"] : ["gzip"],
    freeBytes: Number.isFinite(freeKilobytes) ? freeKilobytes * 1024 : undefined,
    noexec: valuesOf("noexec")[0]?.join(" "),
    installed: valuesOf("installed").flatMap((words) => parseVersionLine(words.join(" ")) ?? []),
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
