import "../../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { AttachmentDescriptor } from "../../../../src/claude/attachments/descriptor.ts";
import { notDeliveredNote, prefixBody } from "../../../../src/claude/attachments/notes.ts";
import { receiveAttachments } from "../../../../src/claude/attachments/receive.ts";
import { spoolDirectory } from "../../../../src/claude/attachments/spool.ts";
import { stageAttachments } from "../../../../src/claude/attachments/stage.ts";
import { buildEnvelope, parseEnvelope } from "../../../../src/claude/envelope.ts";
import { userFrame } from "../../../../src/claude/frames.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

const from = "uds:/run/x.sock";
const content = buildEnvelope({ from, fromName: "api", fromMode: "prompting" }, "here it is");

async function staged(context: TestContext, text = "the file") {
  const directory = temporaryDirectory(context);
  const config = path.join(directory, "claude");
  const file = path.join(directory, "report.txt");
  fs.writeFileSync(file, text);
  const [descriptor] = await stageAttachments(config, [file]);
  if (!descriptor) throw new Error("nothing was staged");
  const receive = (attachments: readonly AttachmentDescriptor[], sessionId = "session-1") =>
    receiveAttachments(userFrame({ from, content, attachments }), { claudeConfig: config, sessionId });
  return { directory, config, spool: spoolDirectory(config), descriptor, receive };
}

test("a staged file is handed over into the session's uploads and mentioned before the body; the staged copy goes", async (context) => {
  const { config, descriptor, receive } = await staged(context);
  const received = await receive([descriptor]);
  const [file] = received.files;
  assert.ok(file);
  assert.equal(path.dirname(file.path), path.join(config, "uploads", "session-1"));
  assert.match(path.basename(file.path), new RegExp(`^${descriptor.sha256.slice(0, 8)}-[0-9a-f]{8}-report\\.txt$`));
  assert.equal(fs.readFileSync(file.path, "utf8"), "the file");
  assert.equal(fs.statSync(file.path).mode & 0o777, 0o600);
  assert.equal(fs.statSync(path.dirname(file.path)).mode & 0o777, 0o700);
  assert.equal(fs.existsSync(descriptor.path), false);
  assert.equal(parseEnvelope(received.content)?.body, `@"${file.path}" here it is`);
  assert.deepEqual(received.notes, []);
});

test("what is not a regular file of the spool itself, or not what was announced, is refused with the note that Claude Code gives", async (context) => {
  const { directory, config, spool, descriptor, receive } = await staged(context);
  const inSpool = (name: string) => path.join(spool, name);
  fs.symlinkSync(descriptor.path, inSpool("link"));
  fs.mkdirSync(inSpool("directory"));
  execFileSync("mkfifo", [inSpool("pipe")]);
  fs.mkdirSync(path.join(directory, "file-transfers"));
  fs.writeFileSync(path.join(directory, "file-transfers", "x"), "the file");
  fs.symlinkSync(config, path.join(directory, "elsewhere"));
  const outside = "transfer path is outside the file-transfer spool";
  for (const [change, reason] of [
    [{ path: "report.txt" }, "invalid transfer path"],
    [{ path: `${descriptor.path}\0` }, "invalid transfer path"],
    [{ path: "/etc/passwd" }, outside],
    [{ path: `${spool}/../settings.json` }, outside],
    [{ path: `${spool}/directory/../${path.basename(descriptor.path)}` }, outside],
    [{ path: path.join(directory, "file-transfers", "x") }, outside],
    [{ path: path.join(directory, "elsewhere", "file-transfers", path.basename(descriptor.path)) }, outside],
    [{ path: inSpool("link") }, "the transfer copy is not a regular file"],
    [{ path: inSpool("directory") }, "the transfer copy is not a regular file"],
    [{ path: inSpool("pipe") }, "the transfer copy is not a regular file"],
    [{ path: inSpool("absent") }, "the transfer copy could not be read (it may have expired)"],
    [{ file_size: 7 }, "it failed integrity verification"],
    [{ sha256: "0".repeat(64) }, "it failed integrity verification"],
  ] as const) {
    const received = await receive([{ ...descriptor, ...change }]);
    const note = `[SendFile: "report.txt" was not delivered — ${reason}]`;
    assert.deepEqual([received.notes, received.files], [[note], []], JSON.stringify(change));
    assert.equal(parseEnvelope(received.content)?.body, `${note} here it is`);
  }
  assert.deepEqual(fs.existsSync(descriptor.path), true);
  const uploads = path.join(config, "uploads", "session-1");
  assert.deepEqual(fs.existsSync(uploads) ? fs.readdirSync(uploads) : [], []);
});

test("a staged file that is written to after it was announced is refused, and nothing of it is left", async (context) => {
  const { config, descriptor, receive } = await staged(context);
  fs.writeFileSync(descriptor.path, "THE FILE");
  assert.deepEqual((await receive([descriptor])).notes, ['[SendFile: "report.txt" was not delivered — it failed integrity verification]']);
  assert.deepEqual(fs.readdirSync(path.join(config, "uploads", "session-1")), []);
});

test("a spool or an uploads directory that is a symlink is not used", async (context) => {
  const { directory, config, spool, descriptor, receive } = await staged(context);
  fs.mkdirSync(path.join(directory, "other"));
  fs.symlinkSync(path.join(directory, "other"), path.join(config, "uploads"));
  assert.match((await receive([descriptor])).notes.join(), /could not be written to the uploads directory/);
  fs.rmSync(path.join(config, "uploads"));
  fs.renameSync(spool, path.join(directory, "moved"));
  fs.symlinkSync(path.join(directory, "moved"), spool);
  assert.match((await receive([descriptor])).notes.join(), /not a regular file/);
  assert.deepEqual(fs.readdirSync(path.join(directory, "other")), []);
});

test("of more than 16 files the first 16 are taken and the others are counted; a bad one does not keep the good ones", async (context) => {
  const { descriptor, receive } = await staged(context);
  const bad = { ...descriptor, path: "/etc/passwd" };
  const received = await receive([...Array(15).fill(bad), descriptor, descriptor, descriptor]);
  assert.equal(received.files.length, 1);
  assert.equal(received.notes[0], "[SendFile: 2 additional attachment(s) were dropped — max 16 per message]");
  assert.equal(received.notes.length, 16);
  assert.ok(parseEnvelope(received.content)?.body.startsWith(`@"${received.files[0]?.path}" [SendFile: 2 additional`));
});

test("a session id that is no name is refused, and a message without files comes as it was", async (context) => {
  const { descriptor, receive } = await staged(context);
  await assert.rejects(receive([descriptor], "../x"), { code: "usage" });
  assert.deepEqual(await receive([], "../x"), { content, files: [], notes: [] });
});

test("notes stand before the body and leave an envelope one, whatever the file is called", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, body) => {
      const note = notDeliveredNote(name, "it is gone");
      const parsed = parseEnvelope(prefixBody(buildEnvelope({ from }, body), [note]));
      const before = parseEnvelope(buildEnvelope({ from }, body));
      assert.deepEqual(parsed, before && { ...before, body: `${note} ${before.body}` });
      assert.equal(prefixBody(`plain ${body}`, [note]), `${note} plain ${body}`);
    }),
  );
});
