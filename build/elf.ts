/** What an ELF executable says of itself, as far as a check of an artefact needs it. All of ours are 64-bit little-endian. */
export interface ElfFacts {
  readonly arch: string;
  /** The loader that the kernel starts; undefined for a static program. */
  readonly interpreter: string | undefined;
  /** The names of its notes; what was injected is one. */
  readonly notes: readonly string[];
}

const MACHINES: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64" };
const PT_INTERP = 3;
const PT_NOTE = 4;

export function isElf(file: Buffer): boolean {
  return file.subarray(0, 4).equals(Buffer.from("\x7fELF", "latin1"));
}

/** Throws for what is no 64-bit little-endian ELF. */
export function readElf(file: Buffer): ElfFacts {
  if (!isElf(file) || file[4] !== 2 || file[5] !== 1) throw new Error("not a 64-bit little-endian ELF file");
  const machine = file.readUInt16LE(18);
  const segments = programHeaders(file);
  const interpreter = segments.find(({ type }) => type === PT_INTERP);
  return {
    arch: MACHINES[machine] ?? `machine ${machine}`,
    interpreter: interpreter && text(file.subarray(interpreter.offset, interpreter.offset + interpreter.size)),
    notes: segments.filter(({ type }) => type === PT_NOTE).flatMap(({ offset, size }) => noteNames(file.subarray(offset, offset + size))),
  };
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
}

function programHeaders(file: Buffer): Segment[] {
  const start = Number(file.readBigUInt64LE(32));
  const entrySize = file.readUInt16LE(54);
  return Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = start + index * entrySize;
    return { type: file.readUInt32LE(at), offset: Number(file.readBigUInt64LE(at + 8)), size: Number(file.readBigUInt64LE(at + 32)) };
  });
}

function noteNames(notes: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameSize = notes.readUInt32LE(at);
    const contentSize = notes.readUInt32LE(at + 4);
    names.push(text(notes.subarray(at + 12, at + 12 + nameSize)));
    at += 12 + align(nameSize) + align(contentSize);
  }
  return names;
}

function align(size: number): number {
  return Math.ceil(size / 4) * 4;
}

function text(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/\0.*$/s, "");
}
