import "../../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { attachmentsOf } from "../../../../src/claude/attachments/descriptor.ts";
import { cleanSpool, MAX_FILE_BYTES, safeFileName, spoolDirectory } from "../../../../src/claude/attachments/spool.ts";
import { stageAttachments } from "../../../../src/claude/attachments/stage.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

function home(context: TestContext) {
  const directory = temporaryDirectory(context);
  const config = path.join(directory, "claude");
  const put = (name: string, content: string | Buffer) => {
    const file = path.join(directory, name);
    fs.writeFileSync(file, content);
    return file;
  };
  const staged = () => (fs.existsSync(spoolDirectory(config)) ? fs.readdirSync(spoolDirectory(config)) : []);
  return { directory, config, put, staged };
}

test("a file is staged under a name of its hash, chance and its own, private in a private directory, and described", async (context) => {
  const { config, put } = home(context);
  const content = Buffer.from("größe;preis\n1;2\n");
  const [descriptor] = await stageAttachments(config, [put("bericht über x.csv", content)]);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const { path: file = "", ...described } = descriptor ?? {};
  assert.deepEqual(described, { file_name: "bericht über x.csv", file_size: content.length, sha256, media_type: "text/csv" });
  assert.equal(path.dirname(file), spoolDirectory(config));
  assert.match(path.basename(file), new RegExp(`^${sha256.slice(0, 8)}-[0-9a-f]{8}-bericht__ber_x\\.csv$`));
  assert.deepEqual(fs.readFileSync(file), content);
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.equal(fs.statSync(spoolDirectory(config)).mode & 0o777, 0o700);
});

test("what is over the limits, absent, a directory or a pipe is refused by name, and the others of the message are not left behind", async (context) => {
  const { directory, config, put, staged } = home(context);
  const good = put("good.txt", "good");
  const large = put("large.bin", "");
  fs.truncateSync(large, MAX_FILE_BYTES + 1);
  execFileSync("mkfifo", [path.join(directory, "pipe")]);
  for (const [file, code, message] of [
    [large, "too_large", /large\.bin has 30\.0 MiB; the limit is 30 MiB/],
    [path.join(directory, "absent"), "usage", /absent cannot be sent: there is no such file/],
    [directory, "usage", /cannot be sent: it is no regular file/],
    [path.join(directory, "pipe"), "usage", /pipe cannot be sent: it is no regular file/],
  ] as const) {
    await assert.rejects(stageAttachments(config, [good, file]), { code, message });
  }
  await assert.rejects(stageAttachments(config, Array(17).fill(good)), { code: "too_large", message: /16 files, not 17/ });
  assert.deepEqual(staged(), []);
});

test("a file of exactly the limit is staged, an empty one too", async (context) => {
  const { config, put } = home(context);
  const largest = put("largest.bin", "");
  fs.truncateSync(largest, MAX_FILE_BYTES);
  const staged = await stageAttachments(config, [largest, put("empty", "")]);
  assert.deepEqual(
    staged.map(({ file_size }) => file_size),
    [MAX_FILE_BYTES, 0],
  );
});

test("cleaning takes what is a day old and what was left half-written, and nothing else", async (context) => {
  const { config, put, staged } = home(context);
  const [kept, old] = await stageAttachments(config, [put("kept", "1"), put("old", "2")]);
  const spool = spoolDirectory(config);
  fs.mkdirSync(path.join(spool, "directory"));
  for (const name of [".incoming-1", ".incoming-2"]) fs.writeFileSync(path.join(spool, name), "half");
  const now = Date.now();
  fs.utimesSync(old?.path ?? "", new Date(now - DAY_MS - 1000), new Date(now - DAY_MS - 1000));
  fs.utimesSync(path.join(spool, ".incoming-1"), new Date(now - 11 * 60_000), new Date(now - 11 * 60_000));
  await cleanSpool(config, now);
  assert.deepEqual(staged().sort(), [".incoming-2", path.basename(kept?.path ?? ""), "directory"].sort());
  await cleanSpool(path.join(config, "absent"));
});

test("a name of others is ASCII, no path, at most 200 characters, and keeps a short extension", () => {
  assert.equal(safeFileName("../../etc/passwd"), "passwd");
  assert.equal(safeFileName("作业 1.pdf"), "___1.pdf");
  assert.equal(safeFileName(""), "attachment");
  assert.equal(safeFileName(`${"x".repeat(300)}.tar`), `${"x".repeat(196)}.tar`);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (name) => {
      const safe = safeFileName(name);
      assert.match(safe, /^[a-zA-Z0-9._-]{1,200}$/);
      assert.equal(safeFileName(safe), safe);
    }),
  );
});

test("one malformed descriptor makes all of a frame count as none, as Claude Code has it", () => {
  const good = { path: "/x", file_name: "x", file_size: 1, sha256: "0".repeat(64), later: true };
  const of = (file_attachments: unknown) => attachmentsOf({ type: "user", file_attachments });
  assert.deepEqual(of([good]), [good]);
  for (const bad of [
    { ...good, sha256: "A".repeat(64) },
    { ...good, file_size: -1 },
    { ...good, file_size: 0.5 },
    { path: "/x" },
    null,
    "x",
  ]) {
    assert.deepEqual(of([good, bad]), []);
  }
  assert.deepEqual([of(undefined), of({ 0: good }), of("x")], [[], [], []]);
});
