import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { CcmError, toCcmError } from "../core/errors.ts";
import type { RemoteExit, RemoteProcess } from "../ssh/transport.ts";
import { archiveId, type CompressedExecutable, compressedExecutable } from "./compressed-executable.ts";
import { adopt, isCompatible } from "./installed-there.ts";
import type { OwnExecutable } from "./own-executable.ts";
import { posixCksum } from "./posix-cksum.ts";
import { pushBlocks } from "./push-blocks.ts";
import { pushError } from "./push-error.ts";
import { probeMachine, type RemoteMachine } from "./remote-machine.ts";
import { executableName, installCommand, PART_IS_GONE, type Packing } from "./remote-path.ts";
import { requirePlatform, requireRoom } from "./require-machine.ts";
import type { ShipContext } from "./ship-context.ts";
import { keepTail } from "./stderr-tail.ts";
import { settledExit, writeChunk } from "./upload.ts";

export interface PushProgress {
  /** Of what goes over the wire, as everything here. */
  readonly sentBytes: number;
  /** An estimate while it is still being made. */
  readonly totalBytes: number;
}

export interface PushOptions {
  readonly executable: OwnExecutable;
  readonly cacheDirectory: string;
  readonly onProgress: ((progress: PushProgress) => void) | undefined;
  /** The executable for another platform, if there is one here. */
  readonly findArtefact: FindArtefact;
  /** The same from where releases are. What it rejects with is told to the person. */
  readonly fetchArtefact: FindArtefact;
}

export type FindArtefact = (platform: string) => Promise<OwnExecutable | undefined>;

export interface Pushed {
  /** What is in place now, by its name there: this program, or one for that machine's platform. */
  readonly name: string;
  /** False where it was there already. */
  readonly sent: boolean;
}

/**
 * Puts an executable that fits in its place on the other machine. The same build where somebody has installed it there; else this one,
 * if it is for that platform; else an artefact that is here; else another build that is installed there and speaks our protocol; else an
 * artefact from where releases are. It is sent by the blocks that differ from a version that is there, else as a whole, from where an
 * earlier upload was cut. When this rejects there is nothing under the final name that was not there before: `platform_unsupported`,
 * `push_failed` with the other machine's own words, `timeout`, or an error of the connection.
 */
export async function push(context: ShipContext, options: PushOptions): Promise<Pushed> {
  const { executable: own } = options;
  const machine = await probeMachine(context, archiveId(own));
  const same = machine.installed.find(({ buildId }) => buildId === own.buildId);
  const adopted = same && (await adopt(context, same));
  if (adopted !== undefined) return { name: adopted, sent: false };
  if (machine.platform === own.platform) return await sendExecutable(context, machine, options);
  const here = await options.findArtefact(machine.platform);
  if (here) return await sendArtefact(context, machine, options, here);
  const compatible = machine.installed.find(isCompatible);
  if (compatible && machine.versions.includes(executableName(compatible))) return { name: executableName(compatible), sent: false };
  const name = compatible && (await adopt(context, compatible));
  if (name !== undefined) return { name, sent: false };
  return await sendArtefact(context, machine, options, await fetchOrRefuse(context, machine, options));
}

async function sendArtefact(
  context: ShipContext,
  machine: RemoteMachine,
  options: PushOptions,
  executable: OwnExecutable,
): Promise<Pushed> {
  const name = executableName(executable);
  if (machine.versions.includes(name)) return { name, sent: false };
  return await sendExecutable(context, await probeMachine(context, archiveId(executable)), { ...options, executable });
}

async function sendExecutable(context: ShipContext, machine: RemoteMachine, options: PushOptions): Promise<Pushed> {
  requirePlatform(context.connection.description, machine, options.executable.platform);
  await install(context, machine, options);
  return { name: executableName(options.executable), sent: true };
}

/** Throws `platform_unsupported`, with what to get, and why it could not be fetched. */
async function fetchOrRefuse(context: ShipContext, machine: RemoteMachine, options: PushOptions): Promise<OwnExecutable> {
  let why: string | undefined;
  const fetched = await options.fetchArtefact(machine.platform).catch((error: unknown) => {
    why = toCcmError(error).message;
    return undefined;
  });
  if (fetched) return fetched;
  requirePlatform(context.connection.description, machine, options.executable.platform, why);
  throw new CcmError("internal", `no executable for ${machine.platform}`);
}

async function install(context: ShipContext, machine: RemoteMachine, options: PushOptions): Promise<void> {
  const { executable, onProgress } = options;
  requireRoom(context.connection.description, machine, fs.statSync(executable.file, { throwIfNoEntry: false })?.size ?? 0);
  const [newest] = machine.versions.filter((name) => name !== executableName(executable));
  if (newest !== undefined && (await pushBlocks(context, { executable, from: newest, onProgress }))) return;
  const packing = machine.packings[0] ?? "gzip";
  const archive = compressedExecutable(executable, options.cacheDirectory, packing);
  const fromByte = await usablePart(machine, archive, packing);
  const upload = { executable, archive, packing, onProgress };
  const exit = await pushWhole(context, { ...upload, fromByte });
  // Somebody else goes on with that part, or has swept it.
  if (exit === "part is gone") await pushWhole(context, { ...upload, fromByte: 0 });
}

interface Upload {
  readonly executable: OwnExecutable;
  readonly archive: CompressedExecutable;
  readonly packing: Packing;
  readonly fromByte: number;
  readonly onProgress: PushOptions["onProgress"];
}

async function pushWhole(context: ShipContext, upload: Upload): Promise<"installed" | "part is gone"> {
  const { executable, archive, packing, fromByte } = upload;
  const command = installCommand({
    name: executableName(executable),
    sha256: await executable.sha256(),
    nonce: randomBytes(16).toString("hex"),
    archive: archive.id,
    packing,
    fromByte,
  });
  const process = await context.connection.exec(command);
  const stderrTail = keepTail(process.stderr);
  process.stdout.resume();
  try {
    await send(context, process, upload);
    const exit = await settledExit(context, process);
    if (exit.code === 0) return "installed";
    if (exit.code === PART_IS_GONE && fromByte > 0) return "part is gone";
    // It may be our own copy that is damaged, and that would fail again on every host.
    if (looksDamaged(exit, stderrTail())) archive.discard();
    throw pushError(context.connection.description, exit, stderrTail());
  } finally {
    process.close();
  }
}

/** Ends the remote stdin after the last byte. A remote end that stops reading is no error here: its exit says why. */
async function send(context: ShipContext, process: RemoteProcess, { archive, fromByte, onProgress }: Upload): Promise<void> {
  let sentBytes = fromByte;
  const report = (): void => onProgress?.({ sentBytes, totalBytes: archive.totalBytes() });
  report();
  for await (const chunk of archive.chunks(fromByte)) {
    if (!(await writeChunk(context, process, chunk))) return;
    sentBytes += chunk.length;
    report();
  }
  process.stdin.end();
}

/** How many bytes of the archive are there already and are the same. */
async function usablePart(machine: RemoteMachine, archive: CompressedExecutable, packing: Packing): Promise<number> {
  const part = machine.parts.find((one) => one.packing === packing);
  if (part === undefined || part.bytes === 0) return 0;
  return (await posixCksum(archive.chunks(0), part.bytes)) === part.checksum ? part.bytes : 0;
}

/** Its own word for it, the unpacker's, or a crash of what was unpacked. */
function looksDamaged(exit: RemoteExit, stderr: string): boolean {
  const unpacker = /(gzip|zstd):.*(crc|invalid|corrupt|not in gzip|unsupported format|unexpected end|premature)/i;
  return /what arrived is damaged/i.test(stderr) || unpacker.test(stderr) || (exit.code ?? 0) > 128;
}
