const START = Int32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
const ROUNDS = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const ROUND_COUNT = ROUNDS.length;

/**
 * SHA-256 of a short text in hexadecimal digits, as FIPS 180-4 has it. For paths: `node:crypto` is faster for what is long, and takes
 * 10 ms to load. It runs once in a process that lives for a moment, so it is written for an interpreter: no iterators, no closures.
 */
export function sha256(text: string): string {
  const message = padded(Buffer.from(text));
  const state = Int32Array.from(START);
  const words = new Int32Array(ROUND_COUNT);
  for (let offset = 0; offset < message.length; offset += BLOCK_BYTES) {
    schedule(words, message, offset);
    takeBlock(state, words);
  }
  const digest = Buffer.alloc(state.length * 4);
  for (let index = 0; index < state.length; index += 1) digest.writeInt32BE(state[index] as number, index * 4);
  return digest.toString("hex");
}

function padded(text: Buffer): Buffer {
  const blocks = Math.floor((text.length + LENGTH_BYTES) / BLOCK_BYTES) + 1;
  const message = Buffer.alloc(blocks * BLOCK_BYTES);
  text.copy(message);
  message[text.length] = 0x80;
  message.writeUInt32BE(text.length * 8, message.length - 4);
  return message;
}

function schedule(words: Int32Array, message: Buffer, offset: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = message.readInt32BE(offset + 4 * index);
  for (let index = 16; index < ROUND_COUNT; index += 1) {
    const early = words[index - 15] as number;
    const late = words[index - 2] as number;
    const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = ((words[index - 16] as number) + small + (words[index - 7] as number) + large) | 0;
  }
}

function takeBlock(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < ROUND_COUNT; index += 1) {
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + mixed + ((e & f) ^ (~e & g)) + (ROUNDS[index] as number) + (words[index] as number)) | 0;
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const after = [a, b, c, d, e, f, g, h];
  for (let index = 0; index < state.length; index += 1) state[index] = (state[index] as number) + (after[index] as number);
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
