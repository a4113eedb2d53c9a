import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { choosePeer } from "../../../src/cli/pair/choose-peer.ts";
import { ChatHome } from "../../unit/cli/fixtures/chat-home.ts";

const refused: readonly (readonly [words: readonly string[], stderr: string])[] = [
  [["statsu"], 'ccm: there is no command "statsu"\n    did you mean: ccm status\n'],
  [["deploy"], 'ccm: there is no command "deploy"\n    ccm --help lists them\n'],
  [["init", "--labl", "x"], "ccm: init: there is no option --labl\n    did you mean: --label\n"],
  [["init", "--label"], "ccm: init: --label needs a value\n    see ccm init --help\n"],
  [
    ["pair", "a", "b", "--label", "x"],
    "ccm: one --label cannot be for several hosts\n    pair each with its own label, or leave the labels out\n",
  ],
  [
    ["pair", "server", "--accept-new-host-key", "yes"],
    'ccm: "yes" is no SHA-256 fingerprint of a key\n    write it as ssh prints it, SHA256:… ; on the host itself: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub\n',
  ],
  [["pair"], "ccm: pair: <host> is missing\n    see ccm pair --help\n"],
  [
    ["peer-set", "server", "--attest", "srtip"],
    'ccm: peer-set: --attest cannot be "srtip": it is one of "pass", "strip"\n    see ccm peer-set --help\n',
  ],
  [["peer-set", "server"], "ccm: peer-set: --attest is missing\n    see ccm peer-set --help\n"],
  [["up", "now"], 'ccm: up: "now" is one word too many\n    see ccm up --help\n'],
  [["--jsno"], "ccm: there is no option --jsno\n    see ccm --help\n"],
  [["--all", "roster"], "ccm: the option --all stands before its command\n    write it behind: ccm roster --all\n"],
  [["status", "--since", "3"], "ccm: status: there is no option --since\n    see ccm status --help\n"],
];

for (const [words, stderr] of refused) {
  test(`\`ccm ${words.join(" ")}\` is refused with one line and a way out`, async (context) => {
    assert.deepEqual(await new ChatHome(context).ccm(words), { exitCode: 2, stdout: "", stderr });
  });
}

const hostile = ["-oProxyCommand=touch x", "a b", "x$(touch x)", "`touch x`", "a'b", 'a"b', "a\nb", "a;b"];

test("S5 a host that begins with a dash, has spaces, quotes, $() or a newline is refused before anything runs", async (context) => {
  for (const host of hostile) assert.throws(() => choosePeer(host, {}, []), { code: "usage", message: /^not a host: / }, host);
  const home = new ChatHome(context, { PATH: "/nowhere" });
  const results = await Promise.all([
    home.ccm(["pair", "-oProxyCommand=x"]),
    home.ccm(["pair", "--", "-oProxyCommand=x"]),
    home.ccm(["pair", "x$(id)"]),
  ]);
  assert.deepEqual(
    results.map(({ exitCode, stderr }) => [exitCode, stderr.split("\n")[0]]),
    [
      [2, "ccm: pair: there is no option -oProxyCommand"],
      [2, "ccm: pair: <host> is missing"],
      [2, 'ccm: not a host: "x$(id)"'],
    ],
  );
  assert.ok(!fs.existsSync(home.paths.configFile));
});

test("S5 a label is never an option and never anything but a label", async (context) => {
  for (const label of ["-x", "a b", "$(id)", "A", "a\n", "", "x".repeat(33)]) {
    assert.throws(() => choosePeer("server", { label }, []), { code: "usage", message: `"${label}" cannot be a label` });
  }
  const home = new ChatHome(context);
  const results = await Promise.all([
    home.ccm(["init", "--label=-x"]),
    home.ccm(["init", "--label", "-x"]),
    home.ccm(["init", "--label="]),
  ]);
  assert.deepEqual(
    results.map(({ exitCode }) => exitCode),
    [2, 2, 2],
  );
  assert.ok(!fs.existsSync(home.paths.configFile));
});

test("completion prints a script for each shell, for one's own without a word, and no other", async (context) => {
  const scripts = { bash: /complete -o .*_ccm_yargs_completions ccm/, zsh: /^#compdef ccm/, fish: /^complete -c ccm /m };
  for (const [shell, script] of Object.entries(scripts)) {
    const home = new ChatHome(context, { SHELL: `/usr/bin/${shell}` });
    for (const words of [["completion"], ["completion", shell]]) assert.match((await home.ccm(words)).stdout, script);
  }
  assert.equal((await new ChatHome(context).ccm(["completion", "tcsh"])).exitCode, 2);
});

test("what nobody foresaw is one line, and its stack with CCM_DEBUG=1", async (context) => {
  const home = new ChatHome(context, { CCM_DEBUG: "1" });
  fs.mkdirSync(home.paths.claudeConfig);
  fs.writeFileSync(path.join(home.paths.claudeConfig, "sessions"), "");
  const loud = await home.ccm(["roster"]);
  assert.equal(loud.exitCode, 1);
  assert.match(loud.stderr, /^ccm: ENOTDIR.*\n {4}.*\n(?:.*\n)*? {4}at /);
});
