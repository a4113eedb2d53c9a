import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { takeFirstLine } from "../../../src/core/first-line.ts";

const limits = { maxBytes: 16, timeoutMs: 1_000 };

test("the first line comes out and the rest stays in the stream", async () => {
  const stream = new PassThrough();
  const line = takeFirstLine(stream, limits);
  stream.write("hel");
  stream.write("lo\nre");
  stream.end("st");
  assert.equal(await line, "hello");
  assert.equal(Buffer.concat(await stream.toArray()).toString(), "rest");
});

test("a stream that ends, fails or sends too much before a line is a violation", async () => {
  const endings = [
    (stream: PassThrough) => stream.end("half"),
    (stream: PassThrough) => stream.destroy(new Error("reset")),
    (stream: PassThrough) => stream.destroy(),
    (stream: PassThrough) => stream.write("x".repeat(17)),
  ];
  for (const ending of endings) {
    const stream = new PassThrough();
    const line = takeFirstLine(stream, limits);
    ending(stream);
    await assert.rejects(line, { code: "protocol_violated" });
  }
});

test("a silent stream is given up at the deadline", async () => {
  await assert.rejects(takeFirstLine(new PassThrough(), { ...limits, timeoutMs: 20 }), { code: "timeout" });
});
