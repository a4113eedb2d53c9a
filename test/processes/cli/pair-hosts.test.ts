import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ChatHome } from "../../unit/cli/fixtures/chat-home.ts";

function fileWith(context: TestContext, name: string, content: string): string {
  const file = path.join(temporaryDirectory(context), name);
  fs.writeFileSync(file, content);
  return file;
}

test("S5 a list with bad lines is refused with one line for each, before anything is paired or run", async (context) => {
  const home = new ChatHome(context, { PATH: "/nowhere" });
  const file = fileWith(context, "hosts.txt", "good\n-oProxyCommand=x\nx$(id)\nweb A_label\na b c\n");
  const { exitCode, stderr, stdout } = await home.ccm(["pair", "--hosts", file]);
  assert.deepEqual(
    [exitCode, stdout, stderr.replaceAll(file, "hosts.txt").split("\n")],
    [
      2,
      "",
      [
        'ccm: hosts.txt, line 5: "c" is too much: write HOST or HOST LABEL',
        'ccm: hosts.txt, line 2: not a host: "-oProxyCommand=x"',
        'ccm: hosts.txt, line 3: not a host: "x$(id)"',
        'ccm: hosts.txt, line 4: "A_label" cannot be a label',
        "ccm: 4 hosts cannot be paired, so none was",
        "    mend these lines, or leave them out",
        "",
      ],
    ],
  );
  assert.ok(!fs.existsSync(home.paths.configFile));
  const asJson = await home.ccm(["pair", "--json", "--hosts", "-"], { input: "good\nx;y\n-v\n" });
  assert.deepEqual(JSON.parse(asJson.stdout).problems, ['stdin, line 2: not a host: "x;y"', 'stdin, line 3: not a host: "-v"']);
});

const refused: readonly (readonly [words: readonly string[], stderr: RegExp])[] = [
  [["--hosts", "/nowhere/hosts.txt"], /^ccm: cannot read \/nowhere\/hosts.txt \(ENOENT\)\n$/],
  [["--hosts", "-"], /^ccm: there is no host in stdin\n$/],
  [["--group", "web"], /^ccm: --group is a group of an --inventory\n$/],
  [["--inventory", "-"], /^ccm: stdin is not what ansible-inventory --list prints\n {4}write: ansible-inventory --list \| /],
  [
    ["--inventory", import.meta.filename],
    /no ansible-inventory here\n {4}where ansible is: ansible-inventory --list -i FILE > fleet.json; then here: /,
  ],
];

for (const [words, stderr] of refused) {
  test(`\`ccm pair ${words.join(" ").replace(import.meta.dirname, "")}\` without ansible says what to do`, async (context) => {
    const result = await new ChatHome(context, { PATH: "/nowhere" }).ccm(["pair", ...words], { input: "" });
    assert.match(result.stderr, stderr);
    assert.equal(result.exitCode, 2);
  });
}
