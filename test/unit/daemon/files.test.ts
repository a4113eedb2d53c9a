import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import type { TestMachine } from "../../support/test-machine.ts";
import { pairWithFiles } from "./pair-with-files.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("a session's files reach a session of the other machine, in order with its messages; no copy stays in a spool", async (context) => {
  const { laptop, server, webUi, api, put, spooled } = await pairWithFiles(context);
  const content = randomBytes(5 * 1024 * 1024);
  await webUi.send("server-api", "before");
  await webUi.sendFiles("server-api", "here they are", put("data.bin", content), put("note.txt", Buffer.from("hello")));
  await webUi.send("server-api", "after");
  await api.message("after");
  assert.deepEqual(
    api.messages.map(({ envelope }) => envelope.body),
    ["before", "here they are", "after"],
  );
  const [received] = await eventually(() => api.received.length > 0 && api.received, DEADLINE);
  assert.deepEqual(
    received?.files.map(({ fileName, sha256, mediaType }) => [fileName, sha256, mediaType]),
    [
      ["data.bin", createHash("sha256").update(content).digest("hex"), "application/octet-stream"],
      ["note.txt", createHash("sha256").update("hello").digest("hex"), "text/plain"],
    ],
  );
  assert.deepEqual(received?.notes, []);
  const about = (machine: TestMachine) =>
    machine.trail().flatMap(({ ev, file, bytes, ok, peer }) => (String(ev).startsWith("file_") ? [[ev, file, bytes, ok, peer]] : []));
  assert.deepEqual(about(laptop), [
    ["file_out", "data.bin", content.length, true, "server"],
    ["file_out", "note.txt", 5, true, "server"],
  ]);
  assert.deepEqual(about(server)[1], ["file_in", "note.txt", 5, true, "laptop"]);
  const mentions = received?.files.map((file) => `@"${file.path}"`).join(" ");
  assert.ok(received?.content.includes(`\n${mentions} here they are\n`));
  await eventually(() => spooled(laptop).length + spooled(server).length === 0, DEADLINE);
});
