/** One regular file of an archive. */
export interface ArchiveEntry {
  /** With its directories, under 100 characters of ASCII. */
  readonly name: string;
  readonly mode: number;
  readonly content: Buffer;
}

const BLOCK_BYTES = 512;

/** A tar archive (ustar) of these files in this order: owner root, one time for all, nothing of the machine that made it. */
export function tarArchive(entries: readonly ArchiveEntry[], modifiedSeconds: number): Buffer {
  const blocks = entries.flatMap((entry) => {
    const padding = -entry.content.length & (BLOCK_BYTES - 1);
    return [header(entry, modifiedSeconds), entry.content, Buffer.alloc(padding)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header({ name, mode, content }: ArchiveEntry, modifiedSeconds: number): Buffer {
  if (!/^[ -~]{1,99}$/.test(name)) throw new Error(`${name} cannot be named in an archive`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, digits: number) => block.write(`${value.toString(8).padStart(digits, "0")}\0`, at);
  block.write(name, 0);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(content.length, 124, 11);
  octal(modifiedSeconds, 136, 11);
  // The checksum counts its own field as blanks; "0" says a regular file.
  block.write("        0", 148);
  block.write("ustar\x0000", 257);
  block.write("root", 265);
  block.write("root", 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
