import { createHash } from "node:crypto";
import { LC_CODE_SIGNATURE, type MachO, readMachO } from "./mach-o.ts";

const MAGIC_SIGNATURE = 0xfade0cc0;
const MAGIC_DIRECTORY = 0xfade0c02;
/** The version with the fields of the executable segment. */
const DIRECTORY_VERSION = 0x20400;
const DIRECTORY_BYTES = 88;
/** One blob: its magic, length and count, and one index entry. */
const SIGNATURE_HEADER_BYTES = 20;
/** Ad hoc, and made by a linker: so `codesign --sign` replaces it without being forced. */
const FLAGS = 0x20002;
const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
const HASH_SHA256 = 2;
const HASH_BYTES = 32;
const MAIN_EXECUTABLE = 1;
const COMMAND_BYTES = 16;

/**
 * The executable with an ad-hoc signature, as Apple's linker makes it: a hash of each page, no certificate. An arm64 Mac starts
 * nothing without one. A signature that is there is replaced. Throws where the header has no room for the load command.
 */
export function signAdHoc(unsigned: Buffer, identifier: string): Buffer {
  const { signature, segments } = readMachO(unsigned);
  const linkEdit = segments.find(({ name }) => name === "__LINKEDIT");
  if (!linkEdit) throw new Error("the executable has no __LINKEDIT segment");
  const contentEnd = signature?.offset ?? linkEdit.fileOffset + linkEdit.fileSize;
  const codeLimit = alignUp(contentEnd, 16);
  const size = alignUp(signatureBytes(codeLimit, identifier), 16);
  const signed = Buffer.alloc(codeLimit + size);
  unsigned.copy(signed, 0, 0, contentEnd);
  writeCommand(signed, readMachO(unsigned), codeLimit, size);
  const linkEditBytes = codeLimit + size - linkEdit.fileOffset;
  signed.writeBigUInt64LE(BigInt(alignUp(linkEditBytes, 0x4000)), linkEdit.commandOffset + 32);
  signed.writeBigUInt64LE(BigInt(linkEditBytes), linkEdit.commandOffset + 48);
  writeSignature(signed, codeLimit, identifier);
  return signed;
}

function writeCommand(file: Buffer, { signature, commandsEnd, roomForCommands }: MachO, offset: number, size: number): void {
  const at = signature?.commandOffset ?? commandsEnd;
  if (!signature) {
    if (roomForCommands < COMMAND_BYTES) throw new Error("the executable's header has no room for a signature");
    file.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
    file.writeUInt32LE(file.readUInt32LE(20) + COMMAND_BYTES, 20);
  }
  for (const [index, value] of [LC_CODE_SIGNATURE, COMMAND_BYTES, offset, size].entries()) file.writeUInt32LE(value, at + 4 * index);
}

/** The signature is big-endian, whatever the machine. Its hashes are over the header that was just written, too. */
function writeSignature(file: Buffer, codeLimit: number, identifier: string): void {
  const text = readMachO(file).segments.find(({ name }) => name === "__TEXT");
  const hashes = pageHashes(file.subarray(0, codeLimit));
  const hashOffset = DIRECTORY_BYTES + identifier.length + 1;
  const directoryBytes = hashOffset + hashes.length;
  const header = [MAGIC_SIGNATURE, SIGNATURE_HEADER_BYTES + directoryBytes, 1, 0, SIGNATURE_HEADER_BYTES];
  const directory = [
    ...[MAGIC_DIRECTORY, directoryBytes, DIRECTORY_VERSION, FLAGS, hashOffset, DIRECTORY_BYTES, 0, hashes.length / HASH_BYTES, codeLimit],
    (HASH_BYTES << 24) | (HASH_SHA256 << 16) | PAGE_BITS,
    ...[0, 0, 0, 0, 0, 0],
    ...[0, text?.fileOffset ?? 0, 0, text?.fileSize ?? 0, 0, MAIN_EXECUTABLE],
  ];
  let at = codeLimit;
  for (const value of [...header, ...directory]) at = file.writeUInt32BE(value >>> 0, at);
  at += file.write(`${identifier}\0`, at, "latin1");
  hashes.copy(file, at);
}

function signatureBytes(codeLimit: number, identifier: string): number {
  return SIGNATURE_HEADER_BYTES + DIRECTORY_BYTES + identifier.length + 1 + Math.ceil(codeLimit / PAGE_BYTES) * HASH_BYTES;
}

/** Of each page, the last one as short as it is. */
function pageHashes(code: Buffer): Buffer {
  const pages = Array.from({ length: Math.ceil(code.length / PAGE_BYTES) }, (_, index) =>
    code.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES),
  );
  return Buffer.concat(pages.map((page) => createHash("sha256").update(page).digest()));
}

/** What is wrong with a signature that {@link signAdHoc} or Apple's linker made; undefined if every page is as it was signed. */
export function signatureProblem(file: Buffer): string | undefined {
  const { signature } = readMachO(file);
  if (!signature) return "it has no signature";
  const directory = signature.offset + file.readUInt32BE(signature.offset + 16);
  if (file.readUInt32BE(signature.offset) !== MAGIC_SIGNATURE || file.readUInt32BE(directory) !== MAGIC_DIRECTORY)
    return "unknown signature";
  const hashes = directory + file.readUInt32BE(directory + 16);
  const expected = pageHashes(file.subarray(0, file.readUInt32BE(directory + 32)));
  return file.subarray(hashes, hashes + expected.length).equals(expected) ? undefined : "a page differs from what was signed";
}

function alignUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
