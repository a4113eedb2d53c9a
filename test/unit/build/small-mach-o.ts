/** A Mach-O file with a header, a text segment with one section and a link-edit segment; not a program. */
export function smallMachO(options: { readonly room?: number } = {}): Buffer {
  const { room = 64 } = options;
  const [textCommand, linkEditCommand] = [72 + 80, 72];
  const codeOffset = 32 + textCommand + linkEditCommand + room;
  const linkEditOffset = 0x2000;
  const file = Buffer.alloc(linkEditOffset + 1001, 7);
  file.fill(0, 0, codeOffset);
  for (const [index, value] of [0xfeedfacf, 0x0100000c, 0, 2, 2, textCommand + linkEditCommand].entries())
    file.writeUInt32LE(value, index * 4);
  writeSegment(file, 32, { name: "__TEXT", offset: 0, size: linkEditOffset, section: { name: "__text", offset: codeOffset } });
  writeSegment(file, 32 + textCommand, { name: "__LINKEDIT", offset: linkEditOffset, size: 1001 });
  return file;
}

interface SmallSegment {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
  readonly section?: { readonly name: string; readonly offset: number };
}

function writeSegment(file: Buffer, at: number, { name, offset, size, section }: SmallSegment): void {
  file.writeUInt32LE(0x19, at);
  file.writeUInt32LE(section ? 72 + 80 : 72, at + 4);
  file.write(name, at + 8);
  file.writeBigUInt64LE(BigInt(offset), at + 40);
  file.writeBigUInt64LE(BigInt(size), at + 48);
  if (!section) return;
  file.writeUInt32LE(1, at + 64);
  file.write(section.name, at + 72);
  file.writeUInt32LE(section.offset, at + 72 + 48);
}
