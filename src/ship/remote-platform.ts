import { randomBytes } from "node:crypto";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteProcess } from "../ssh/transport.ts";
import { probeCommand } from "./remote-path.ts";
import type { ShipContext } from "./ship-context.ts";

/** The oldest GNU C library on which the runtime starts (Node 26, BUILDING.md). */
const MIN_GLIBC = [2, 28] as const;
const MAX_ANSWER_BYTES = 1024 * 1024 + 4096;

const systems: Readonly<Record<string, string>> = { Linux: "linux", Darwin: "darwin" };
const machines: Readonly<Record<string, string>> = { x86_64: "x64", amd64: "x64", aarch64: "arm64", arm64: "arm64" };

/**
 * Refuses before anything is sent where an executable for `platform` cannot run: `platform_unsupported` names both. Also rejects with
 * `timeout`, and with `remote_failed` where the account runs no commands.
 */
export async function requirePlatform(context: ShipContext, platform: string): Promise<void> {
  const marker = randomBytes(16).toString("hex");
  const { connection, clock, signal, timeouts } = context;
  const process = await connection.exec(probeCommand(marker));
  const ms = timeouts.probeMs;
  const onTimeout = (): CcmError =>
    new CcmError("timeout", `${connection.description} did not say within ${ms / 1000} s which system it is`);
  try {
    const answer = await beforeDeadline(readAnswer(process), { ms, clock, signal, onTimeout });
    judge(connection.description, platform, answer.split(`${marker} `)[1]?.split("\n")[0], answer);
  } finally {
    process.close();
  }
}

function judge(host: string, platform: string, line: string | undefined, answer: string): void {
  if (line === undefined) {
    throw new CcmError("remote_failed", `${host} does not run commands; it says: ${plainLine(answer, 160) || "nothing"}`, {
      hint: "the account needs an ordinary login shell, without a forced command",
    });
  }
  const [system = "", machine = "", library = "", version = ""] = line.trim().split(/\s+/);
  const found = `${systems[system] ?? system}-${machines[machine] ?? machine}`;
  if (found !== platform) {
    throw new CcmError("platform_unsupported", `${host} is ${plainLine(found, 60)}; this executable is for ${platform}`, {
      hint: "install the ccm release for that platform there and pair from that side",
    });
  }
  if (library === "musl") throw tooOld(host, "has musl instead of the GNU C library");
  if (library === "glibc" && isOlder(version)) throw tooOld(host, `has glibc ${plainLine(version, 20)}`);
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
