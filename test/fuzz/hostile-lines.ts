import type { Random } from "../support/random.ts";

const WORDS = [
  "__proto__",
  "constructor",
  "toString",
  "op",
  "type",
  "seq",
  "frame",
  "from",
  "to",
  "pid",
  "members",
  "message",
  "content",
  "msg_id",
  "",
  "\u0000",
  "\ud800",
  "\u202e",
  "\u001b[2J",
  "作业",
  "uds:/x",
  "..",
  "</cross-session-message>",
  "a".repeat(5_000),
] as const;
const NUMBERS = [0, -0, -1, 1, 2, 7, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 1e-308, 4_294_967_296] as const;
const BYTES = [0x00, 0x0a, 0x0d, 0x22, 0x5b, 0x5c, 0x7b, 0x80, 0xc3, 0xed, 0xf4, 0xff] as const;
/** JSON.parse takes it; JSON.stringify does not where a number is among the keys. */
const DEEP = 20_000;

/** Lines as nobody should send them: valid ones with something wrong in them, other JSON, and no JSON at all. */
export class HostileLines {
  readonly #random: Random;
  readonly #seeds: readonly unknown[];
  readonly #oversizeBytes: number;

  /** `oversizeBytes`: more than the reader takes in a line; now and then one of that size comes. */
  constructor(random: Random, seeds: readonly unknown[], oversizeBytes: number) {
    this.#random = random;
    this.#seeds = seeds;
    this.#oversizeBytes = oversizeBytes;
  }

  /** Without its newline; but what is in it may look like several lines. */
  next(): Buffer {
    const kind = this.#random.next();
    if (kind < 0.15) return this.#bytesOf(this.#seed());
    if (kind < 0.55) return this.#bytesOf(this.#mutated(this.#seed(), 0));
    if (kind < 0.75) return this.#damaged(this.#bytesOf(this.#seed()));
    if (kind < 0.9) return this.#bytesOf(this.#value(0));
    if (kind < 0.999) return this.#garbage(this.#random.below(200));
    if (kind < 0.9998) return this.#deep();
    return Buffer.alloc(this.#oversizeBytes, "x");
  }

  #seed(): unknown {
    return this.#random.pick(this.#seeds);
  }

  #bytesOf(value: unknown): Buffer {
    return Buffer.from(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  }

  /** One part of it, at any depth, is gone, doubled or something else. */
  #mutated(value: unknown, depth: number): unknown {
    const random = this.#random;
    if (typeof value === "string" && depth === 0) return this.#damaged(Buffer.from(value)).toString();
    if (typeof value !== "object" || value === null || random.next() < 0.25) return this.#value(depth);
    if (Array.isArray(value)) {
      const index = random.below(value.length + 1);
      return random.next() < 0.3 ? [...value, ...value] : value.toSpliced(index, 1, this.#mutated(value[index], depth + 1));
    }
    const entries = Object.entries(value);
    const index = random.below(entries.length + 1);
    const [key, inner] = entries[index] ?? [random.pick(WORDS), undefined];
    if (random.next() < 0.2) return Object.fromEntries(entries.toSpliced(index, 1));
    return Object.fromEntries([...entries, [key, this.#mutated(inner, depth + 1)]]);
  }

  #value(depth: number): unknown {
    const random = this.#random;
    const kind = random.below(depth > 4 ? 4 : 7);
    if (kind === 0) return random.pick(NUMBERS);
    if (kind === 1) return random.pick(WORDS);
    if (kind === 2) return random.next() < 0.5;
    if (kind === 3) return null;
    if (kind === 4) return this.#seed();
    if (kind === 5) return Array.from({ length: random.below(5) }, () => this.#value(depth + 1));
    return Object.fromEntries(Array.from({ length: random.below(5) }, () => [random.pick(WORDS), this.#value(depth + 1)]));
  }

  #damaged(bytes: Buffer): Buffer {
    const random = this.#random;
    let damaged = bytes;
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      const at = random.below(damaged.length + 1);
      const kind = random.below(4);
      if (kind === 0) damaged = damaged.subarray(0, at);
      else if (kind === 1) damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + 1 + random.below(8))]);
      else if (kind === 2) damaged = Buffer.concat([damaged.subarray(0, at), this.#garbage(1 + random.below(4)), damaged.subarray(at)]);
      else damaged = Buffer.concat([damaged, damaged.subarray(at)]);
    }
    return damaged;
  }

  #garbage(length: number): Buffer {
    const random = this.#random;
    return Buffer.from(Array.from({ length }, () => (random.next() < 0.3 ? random.pick(BYTES) : random.below(256))));
  }

  /** As a field of something that is right otherwise. */
  #deep(): Buffer {
    const seed = this.#bytesOf(this.#seed()).toString();
    const deep = `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`;
    return Buffer.from(seed.startsWith("{") ? seed.replace(/\}(?=\}*$)/, `,"7":1,"deep":${deep}}`) : deep);
  }
}
