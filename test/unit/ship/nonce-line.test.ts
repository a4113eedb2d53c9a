import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { suite, test } from "node:test";
import fc from "fast-check";
import { MAX_NOISE_BYTES, skipToNonce } from "../../../src/ship/nonce-line.ts";

const nonce = "0123456789abcdef0123456789abcdef";
const line = `ccm-${nonce}\n`;

suite("skipToNonce", () => {
  test("finds the line however the bytes are cut, and gives back exactly what follows", async () => {
    const content = fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), fc.array(fc.integer({ min: 1, max: 60 })));
    await fc.assert(
      fc.asyncProperty(content, async ([noise, rest, cuts]) => {
        const stream = Readable.from(cut(Buffer.from(noise + line + rest), cuts), { objectMode: false });
        assert.deepEqual(await skipToNonce(stream, nonce), { outcome: "found", noise });
        assert.equal(await text(stream), rest);
      }),
      { numRuns: 200 },
    );
  });

  test("another nonce, a nonce without its line end and an empty stream are an end", async () => {
    for (const content of ["", `ccm-${nonce}`, `ccm-${nonce} \n`, `ccm-${nonce.replace("0", "1")}\n`]) {
      const search = await skipToNonce(Readable.from([Buffer.from(content)], { objectMode: false }), nonce);
      assert.deepEqual(search, { outcome: "ended", noise: content });
    }
  });

  test("S4 noise up to the limit is skipped, its beginning kept; beyond it the search ends", async () => {
    const noise = Buffer.alloc(MAX_NOISE_BYTES, "n");
    const found = await skipToNonce(Readable.from([noise, Buffer.from(line)], { objectMode: false }), nonce);
    assert.deepEqual(found, { outcome: "found", noise: "n".repeat(4096) });
    const tooNoisy = await skipToNonce(
      Readable.from([noise, Buffer.from("x".repeat(1000)), Buffer.from(line)], { objectMode: false }),
      nonce,
    );
    assert.equal(tooNoisy.outcome, "too-noisy");
  });

  test("a stream that is destroyed is an end, and no listener stays", async () => {
    const stream = new PassThrough();
    const search = skipToNonce(stream, nonce);
    stream.destroy();
    assert.equal((await search).outcome, "ended");
    assert.equal(stream.listenerCount("readable"), 0);
  });

  test("the reader that comes after may also listen for data", async () => {
    const stream = new PassThrough();
    const search = skipToNonce(stream, nonce);
    stream.write(`${line}one`);
    await search;
    const received: string[] = [];
    stream.on("data", (chunk) => received.push(String(chunk)));
    stream.end("two");
    await new Promise((resolve) => stream.once("end", resolve));
    assert.equal(received.join(""), "onetwo");
  });
});

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (const length of lengths) {
    if (start >= bytes.length) break;
    parts.push(bytes.subarray(start, start + length));
    start += length;
  }
  if (start < bytes.length) parts.push(bytes.subarray(start));
  return parts;
}
