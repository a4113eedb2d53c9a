import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineReader } from "../../../src/core/line-reader.ts";

function collect(maxBytes = 1024) {
  const lines: string[] = [];
  let overflows = 0;
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOverflow: () => {
      overflows += 1;
    },
  });
  return { reader, lines, overflows: () => overflows };
}

test("R8 a character cut between two reads comes out whole", () => {
  const { reader, lines } = collect();
  for (const byte of Buffer.from("作业-1 🙂\n")) reader.push(Buffer.from([byte]));
  assert.deepEqual(lines, ["作业-1 🙂"]);
});

test("lines come out the same however the stream is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }).filter((line) => !/[\n\r]/.test(line))), fc.array(fc.nat(40)), (sent, cuts) => {
      const { reader, lines } = collect();
      let rest = Buffer.from(sent.map((line) => `${line}\n`).join(""));
      for (const cut of cuts) {
        reader.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      reader.push(rest);
      assert.deepEqual(lines, sent);
      assert.equal(reader.heldBytes, 0);
    }),
    { numRuns: 200 },
  );
});

test("CRLF ends a line as LF does", () => {
  const { reader, lines } = collect();
  reader.push(Buffer.from("a\r\nb\n"));
  assert.deepEqual(lines, ["a", "b"]);
});

test("an empty line is a line", () => {
  const { reader, lines } = collect();
  reader.push(Buffer.from("\n\na\n"));
  assert.deepEqual(lines, ["", "", "a"]);
});

test("a line of the limit's length arrives, one byte more is dropped, and the next line arrives", () => {
  const { reader, lines, overflows } = collect(4);
  reader.push(Buffer.from("1234\n12345\nok\n"));
  assert.deepEqual(lines, ["1234", "ok"]);
  assert.equal(overflows(), 1);
});

test("R8 2 MiB without a newline are reported once and never held", () => {
  const { reader, lines, overflows } = collect(1024);
  for (let sent = 0; sent < 2 * 1024 * 1024; sent += 65_536) {
    reader.push(Buffer.alloc(65_536, "x"));
    assert.ok(reader.heldBytes <= 1024);
  }
  reader.push(Buffer.from("\ngood\n"));
  assert.deepEqual(lines, ["good"]);
  assert.equal(overflows(), 1);
});

test("what is left at the end counts as a line, an overflowing rest does not", () => {
  const { reader, lines } = collect(4);
  reader.push(Buffer.from("last"));
  reader.end();
  reader.push(Buffer.from("too long"));
  reader.end();
  assert.deepEqual(lines, ["last"]);
});

test("bytes that are no UTF-8 do not throw", () => {
  const { reader, lines } = collect();
  reader.push(Buffer.from([0xff, 0xc3, 0x0a]));
  assert.equal(lines.length, 1);
});
