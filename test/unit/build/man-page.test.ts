import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { manPage } from "../../../build/man-page.ts";
import { commands } from "../../../src/cli/command-line.ts";

const page = manPage(commands, { version: "1.2.3", date: new Date(0) });
const noMandoc = spawnSync("mandoc", ["-l", "/dev/null"]).error ? "needs mandoc" : false;

test("the manual page has every command with its options, as they are defined", () => {
  for (const { command } of commands) assert.ok(page.includes(`.SS ccm ${String(command).replaceAll("-", "\\-")}\n`), String(command));
  assert.match(page, /^\\fB\\-\\-format\\fR \\fItext\|json\|prometheus\\fR$/m);
});

test("mandoc finds nothing wrong with it", { skip: noMandoc }, () => {
  const { status, stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "warning"], { input: page, encoding: "utf8" });
  assert.deepEqual([status, stdout], [0, ""]);
});
