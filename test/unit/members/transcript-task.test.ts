import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { findTranscript, taskFromTranscript } from "../../../src/members/transcript-task.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const prompt = (content: unknown, more: object = {}) => JSON.stringify({ type: "user", message: { role: "user", content }, ...more });
const result = (bytes: number) => prompt([{ type: "tool_result", content: "x".repeat(bytes) }]);

function transcript(directory: string, lines: readonly string[]): string {
  const file = path.join(directory, "t.jsonl");
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

test("what a person asked last is the task; results, subagents, peers and commands are not", (context) => {
  const file = transcript(temporaryDirectory(context), [
    prompt("old"),
    prompt([{ type: "text", text: "fix the build" }]),
    result(300_000),
    prompt("a subagent's order", { isSidechain: true }),
    prompt("made up", { isMeta: true }),
    prompt('<cross-session-message from="uds:/x">\nhi\n</cross-session-message>'),
    prompt("<command-name>/clear</command-name>"),
    "half a line {",
  ]);
  assert.equal(taskFromTranscript(file), "fix the build");
});

test("Claude Code's own note of the last prompt counts as well", (context) => {
  const lines = [prompt("old"), JSON.stringify({ type: "last-prompt", lastPrompt: "newer" }), JSON.stringify({ type: "mode" })];
  assert.equal(taskFromTranscript(transcript(temporaryDirectory(context), lines)), "newer");
});

test("H7 of a transcript of 200 MB only the end is read", (context) => {
  const file = path.join(temporaryDirectory(context), "t.jsonl");
  fs.writeFileSync(file, "");
  fs.truncateSync(file, 200 * 1024 * 1024);
  fs.appendFileSync(file, `\n${prompt("the newest")}\n${result(600_000)}\n`);
  const read = context.mock.method(fs, "readSync");
  assert.equal(taskFromTranscript(file), "the newest");
  const bytes = read.mock.calls.reduce((sum, { result = 0 }) => sum + result, 0);
  assert.ok(bytes <= 1024 * 1024, `${bytes} bytes`);
});

test("a transcript without a prompt, without end or without existence has no task", (context) => {
  const directory = temporaryDirectory(context);
  assert.equal(taskFromTranscript(path.join(directory, "none.jsonl")), undefined);
  assert.equal(taskFromTranscript(transcript(directory, ["x".repeat(3_000_000)])), undefined);
  assert.equal(taskFromTranscript(transcript(directory, [])), undefined);
});

test("a transcript is found by its directory's name, and by looking where that is unusual", (context) => {
  const claudeConfig = temporaryDirectory(context);
  const put = (directory: string) => {
    const file = path.join(claudeConfig, "projects", directory, "s-1.jsonl");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "");
    return file;
  };
  assert.equal(findTranscript(claudeConfig, { sessionId: "s-1", cwd: "/srv/my.app" }), undefined);
  const unusual = put("shortened-abc123");
  assert.equal(findTranscript(claudeConfig, { sessionId: "s-1", cwd: "/srv/my.app" }), unusual);
  const usual = put("-srv-my-app");
  assert.equal(findTranscript(claudeConfig, { sessionId: "s-1", cwd: "/srv/my.app" }), usual);
  assert.equal(findTranscript(claudeConfig, { sessionId: "../s-1", cwd: "/srv/my.app" }), undefined);
});
