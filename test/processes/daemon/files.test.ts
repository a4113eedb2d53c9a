import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { spoolDirectory } from "../../../src/claude/attachments/spool.ts";
import { eventually } from "../../support/eventually.ts";
import { pairWithFiles } from "../../unit/daemon/pair-with-files.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("a file that is written while the other daemon comes to its end goes to the next one, with its message", async (context) => {
  const { laptop, server, webUi, api, put } = await pairWithFiles(context);
  const docs = await laptop.session("docs");
  await server.mirror("laptop-docs");
  // What it has not heard of keeps the old one.
  process.kill(webUi.pid, "SIGSTOP");
  await api.send("laptop-web-ui", "before");
  const stopping = server.stop(false);
  await docs.sendFiles("server-api", "with a file", put("note.txt", Buffer.from("hello")));
  process.kill(webUi.pid, "SIGCONT");
  await stopping;
  await server.start();
  const [received] = await eventually(() => api.received.length > 0 && api.received, { deadlineMs: 30_000 });
  assert.deepEqual([received?.files.map(({ fileName }) => fileName), received?.notes], [["note.txt"], []]);
});

test("L1 the link breaks while a file crosses: it comes once, whole, before what was written after it", async (context) => {
  const { laptop, server, webUi, api, put, spooled } = await pairWithFiles(context);
  const content = randomBytes(29 * 1024 * 1024);
  const file = put("data.bin", content);
  await webUi.sendFiles("server-api", "with a file", file);
  await webUi.send("server-api", "after");
  await eventually(() => spooled(server).some((name) => name.startsWith(".incoming-")), { ...DEADLINE, everyMs: 1 });
  laptop.cut();
  await eventually(() => spooled(server).length === 0, DEADLINE);
  laptop.mend();
  await api.message("after");
  assert.deepEqual(
    api.messages.map(({ envelope }) => envelope.body),
    ["with a file", "after"],
  );
  const [received] = await eventually(() => api.received.length > 0 && api.received, DEADLINE);
  assert.equal(received?.files[0]?.sha256, createHash("sha256").update(content).digest("hex"));
  await eventually(() => spooled(laptop).length + spooled(server).length === 0, DEADLINE);
});

test("a message whose file cannot go is delivered all the same, in its envelope, with the reason", async (context) => {
  const { laptop, webUi, api } = await pairWithFiles(context);
  const spool = spoolDirectory(laptop.paths.claudeConfig);
  fs.mkdirSync(spool, { recursive: true, mode: 0o700 });
  const [messageId] = await webUi.sendFiles("server-api", "an empty one");
  assert.ok(messageId);
  const mirror = await laptop.mirror("server-api");
  const { frame } = await api.message("an empty one");
  const attachment = { path: path.join(spool, "gone"), file_name: "gone.txt", file_size: 1, sha256: "0".repeat(64) };
  await webUi.order({
    op: "write",
    to: `uds:${mirror.messagingSocketPath}`,
    frame: { ...frame, msg_id: "m2", file_attachments: [attachment] },
  });
  const note = '[SendFile: "gone.txt" was not delivered — the transfer copy could not be read (it may have expired)]';
  const heard = await api.message(`${note} an empty one`);
  assert.equal(heard.envelope.fromName, "laptop-web-ui");
  assert.equal(heard.frame["file_attachments"], undefined);
});

test("the other machine stays away for good while a file waits: its sender is told, and the daemon stops clean", async (context) => {
  const { laptop, webUi, put, spooled } = await pairWithFiles(context, { grace_seconds: 1 });
  laptop.cut();
  const [messageId] = await webUi.sendFiles("server-api", "too late", put("data.bin", randomBytes(100_000)));
  await eventually(() => webUi.receipts(messageId).some(({ status }) => status === "dropped"), DEADLINE);
  assert.equal(spooled(laptop).length, 1);
});
