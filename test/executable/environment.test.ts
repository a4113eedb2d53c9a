import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bareEnvironment, executable, notBuilt, runProgram } from "../support/built-executable.ts";

/** One word that the small bundle answers alone, and one for which the second is opened. */
const commands = [["--version"], ["--help"]];

const environments: readonly (readonly [string, NodeJS.ProcessEnv])[] = [
  ["a --require of a file that is not there", { NODE_OPTIONS: "--require /nowhere/hook.js" }],
  ["an --import of a package that is not there", { NODE_OPTIONS: "--import no-such-package" }],
  ["--inspect", { NODE_OPTIONS: "--inspect=127.0.0.1:0" }],
  ["a tiny heap", { NODE_OPTIONS: "--max-old-space-size=1" }],
  ["an option that no Node has", { NODE_OPTIONS: "--no-such-option" }],
  ["--trace-warnings and a loader", { NODE_OPTIONS: "--trace-warnings --experimental-loader /nowhere.mjs" }],
  ["extra certificates that are not there", { NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" }],
  ["a NODE_PATH", { NODE_PATH: "/nowhere" }],
  ["a debugging variable", { NODE_DEBUG: "net,stream", NODE_PENDING_DEPRECATION: "1" }],
  ["a foreign locale", { LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" }],
];
for (const [what, variables] of environments) {
  test(`F1 ${what} in the environment changes nothing`, { skip: notBuilt }, (t) => {
    for (const command of commands) {
      const plain = runProgram(executable, command, { env: bareEnvironment(t) });
      assert.equal(plain.status, 0);
      assert.equal(plain.stderr, "");
      assert.deepEqual(runProgram(executable, command, { env: { ...bareEnvironment(t), ...variables } }), plain);
    }
  });
}

test("F1 a project's own node_modules and package.json in the working directory are not looked at", { skip: notBuilt }, (t) => {
  const env = bareEnvironment(t);
  const project = path.join(env.HOME ?? "", "project");
  for (const name of ["yargs", "ssh2", "cpu-features"]) {
    fs.mkdirSync(path.join(project, "node_modules", name), { recursive: true });
    fs.writeFileSync(path.join(project, "node_modules", name, "index.js"), "throw new Error('loaded')");
  }
  fs.writeFileSync(path.join(project, "package.json"), '{"version":"9.9.9","yargs":{"strict":false}}');
  const { status, stdout, stderr } = runProgram(executable, ["--help"], { env, cwd: project });
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /ccm <command>/);
});
