/** Apple's executable format, as far as checking and signing need it; the constants are those of <mach-o/loader.h>. */
export interface MachO {
  readonly arch: string;
  readonly loader: string | undefined;
  readonly segments: readonly MachSegment[];
  readonly signature: MachData | undefined;
  /** Where the next load command would begin, and how many bytes there are for it. */
  readonly commandsEnd: number;
  readonly roomForCommands: number;
}

export interface MachSegment {
  readonly name: string;
  /** Of its load command in the file. */
  readonly commandOffset: number;
  readonly memoryAddress: number;
  readonly fileOffset: number;
  readonly fileSize: number;
  readonly sections: readonly string[];
}

export interface MachData {
  readonly commandOffset: number;
  readonly offset: number;
  readonly size: number;
}

const MAGIC_64 = 0xfeedfacf;
const CPU_TYPES: Readonly<Record<number, string>> = { 16777223: "x64", 16777228: "arm64" };
const HEADER_BYTES = 32;
const SECTION_BYTES = 80;
const SECTIONS_OFFSET = 72;
const LC_SEGMENT_64 = 0x19;
const LC_LOAD_DYLINKER = 0x0e;
export const LC_CODE_SIGNATURE = 0x1d;

export function isMachO(file: Buffer): boolean {
  return file.length > HEADER_BYTES && file.readUInt32LE(0) === MAGIC_64;
}

/** Throws for what is no 64-bit little-endian Mach-O file, as universal files are none. */
export function readMachO(file: Buffer): MachO {
  if (!isMachO(file)) throw new Error("not a 64-bit Mach-O file");
  const cpuType = file.readUInt32LE(4);
  const segments: MachSegment[] = [];
  let loader: string | undefined;
  let signature: MachData | undefined;
  let at = HEADER_BYTES;
  for (let count = file.readUInt32LE(16); count > 0; count--) {
    const command = file.readUInt32LE(at);
    const size = file.readUInt32LE(at + 4);
    if (command === LC_SEGMENT_64) segments.push(readSegment(file, at));
    if (command === LC_LOAD_DYLINKER) loader = text(file.subarray(at + file.readUInt32LE(at + 8), at + size));
    if (command === LC_CODE_SIGNATURE)
      signature = { commandOffset: at, offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12) };
    at += size;
  }
  const arch = CPU_TYPES[cpuType] ?? `CPU type ${cpuType}`;
  return { arch, loader, segments, signature, commandsEnd: at, roomForCommands: firstContent(file, segments) - at };
}

function readSegment(file: Buffer, at: number): MachSegment {
  const sections = Array.from({ length: file.readUInt32LE(at + 64) }, (_, index) => at + SECTIONS_OFFSET + index * SECTION_BYTES);
  return {
    name: text(file.subarray(at + 8, at + 24)),
    commandOffset: at,
    memoryAddress: Number(file.readBigUInt64LE(at + 24)),
    fileOffset: Number(file.readBigUInt64LE(at + 40)),
    fileSize: Number(file.readBigUInt64LE(at + 48)),
    sections: sections.map((section) => text(file.subarray(section, section + 16))),
  };
}

/** The header's segment begins at 0 and holds the load commands; its first section is what must not be written over. */
function firstContent(file: Buffer, segments: readonly MachSegment[]): number {
  const offsets = segments.flatMap(({ commandOffset, sections }) =>
    sections.map((_, index) => file.readUInt32LE(commandOffset + SECTIONS_OFFSET + index * SECTION_BYTES + 48)),
  );
  return Math.min(...offsets.filter((offset) => offset > 0));
}

function text(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/\0.*$/s, "");
}
