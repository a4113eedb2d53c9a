const POLYNOMIAL = 0x04c1_1db7;

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let remainder = index << 24;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 0x8000_0000 ? (remainder << 1) ^ POLYNOMIAL : remainder << 1;
  return remainder >>> 0;
});

/** The checksum of the `cksum` command, which every system has, of a stream's first `bytes` bytes; undefined if there are fewer. */
export async function posixCksum(chunks: AsyncIterable<Buffer>, bytes: number): Promise<number | undefined> {
  let checksum = 0;
  let left = bytes;
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, left);
    checksum = update(checksum, part);
    left -= part.length;
    if (left === 0) break;
  }
  if (left > 0) return undefined;
  const length: number[] = [];
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 256)) length.push(rest % 256);
  return ~update(checksum, Uint8Array.from(length)) >>> 0;
}

function update(checksum: number, bytes: Uint8Array): number {
  let sum = checksum;
  for (const byte of bytes) sum = ((sum << 8) ^ (table[((sum >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  return sum;
}
