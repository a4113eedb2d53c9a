import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { ansibleDirectory, noAnsibleLint } from "./harness/ansible.ts";

test("ansible-lint has nothing to say of the role and its example", { skip: noAnsibleLint, timeout: 240_000 }, () => {
  const words = ["--offline", "-q", "--nocolor", "playbook.example.yml", "roles"];
  const { status, stdout, stderr } = spawnSync("ansible-lint", words, { cwd: ansibleDirectory, encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});
