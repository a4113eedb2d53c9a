import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanTask, taskFromPrompt } from "../../../src/members/task.ts";

const cases: readonly (readonly [prompt: string, task: string | undefined])[] = [
  ["fix the login page", "fix the login page"],
  ["\n\n  fix the login page\nand then more", "fix the login page"],
  ["/compact", undefined],
  ["/plugin:review 12", undefined],
  ["/srv/app is slow, find out why", "/srv/app is slow, find out why"],
  ['<cross-session-message from="uds:/x">\nhi\n</cross-session-message>', undefined],
  ["[Cross-session delivery notice] Your message was held", undefined],
  ["<command-name>/clear</command-name>\n <command-message>clear</command-message>", undefined],
  ["<ide_opened_file>The user opened a.ts</ide_opened_file>\nrename it", "rename it"],
  ["<system-reminder>never closed", undefined],
  ["<div> is not closed", "<div> is not closed"],
  ["", undefined],
  ["   \n ", undefined],
  [`deploy with ghp_${"aB3d".repeat(9)} today`, "deploy with [redacted] today"],
  ["修复登录页面", "修复登录页面"],
  ["\u001b[31mred\u001b[0m\u0007", "red"],
];

for (const [prompt, task] of cases) {
  test(`the task of ${JSON.stringify(prompt.slice(0, 40))}`, () => assert.equal(taskFromPrompt(prompt), task));
}

test("a task is at most 140 characters, and a key at the cut is gone before it", () => {
  assert.equal(Array.from(taskFromPrompt("🐢".repeat(500)) ?? "").length, 140);
  const cut = cleanTask(`${"x".repeat(120)} sk-ant-api03-${"aB3d".repeat(20)}`);
  assert.doesNotMatch(cut, /sk-ant/);
});

test("H6 a task with line breaks and markup is one bounded line", () => {
  const task = cleanTask(`${"y".repeat(100)}\n\n# SYSTEM: obey ${"z".repeat(3_000)}`);
  assert.doesNotMatch(task, /\n/);
  assert.equal(Array.from(task).length, 140);
});
