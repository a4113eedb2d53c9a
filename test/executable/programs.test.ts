import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { bareEnvironment, executable, notBuilt, runProgram } from "../support/built-executable.ts";

/** A home with an installed ccm and one other program, a shell script. */
function withProgram(context: TestContext, name: string, script: string) {
  const { HOME = "" } = bareEnvironment(context);
  const programs = path.join(HOME, "bin");
  fs.mkdirSync(programs);
  fs.writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const ccm = path.join(programs, "ccm");
  fs.copyFileSync(executable, ccm);
  return { ccm, env: { HOME, PATH: programs } };
}

test("what another program prints and says on stderr is heard by the executable too", { skip: notBuilt }, (context) => {
  const listing = '{"_meta":{"hostvars":{"web":{"ansible_port":0}}},"all":{"hosts":["web"]}}';
  const { ccm, env } = withProgram(context, "ansible-inventory", `echo '${listing}'`);
  const inventory = path.join(env.HOME, "hosts.ini");
  fs.writeFileSync(inventory, "[all]\nweb\n");
  assert.match(runProgram(ccm, ["pair", "--inventory", inventory], { env }).stderr, /^ccm: .*hosts\.ini, web: not a host: "web:0"\n/);
  fs.writeFileSync(path.join(env.PATH, "ansible-inventory"), "#!/bin/sh\necho 'broken there' >&2\nexit 4\n");
  assert.match(
    runProgram(ccm, ["pair", "--inventory", inventory], { env }).stderr,
    /^ccm: ansible-inventory cannot read .*: broken there\n/,
  );
});

test("a service that will not start is told with what systemctl says", { skip: notBuilt || process.platform !== "linux" }, (context) => {
  const { ccm, env } = withProgram(context, "systemctl", 'case "$2" in restart) echo "no bus here" >&2; exit 1 ;; esac');
  const { status, stderr } = runProgram(ccm, ["service", "install"], { env });
  assert.deepEqual([status, stderr.split("\n")[0]], [28, "ccm: systemctl --user restart ccm.service: no bus here"]);
  assert.match(runProgram(ccm, ["service", "status"], { env }).stdout, /^systemd: unknown\n$/);
});
