import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { chooseTransport } from "../../../src/ssh/choose-transport.ts";
import { resolveTarget, type SshTarget } from "../../../src/ssh/ssh-target.ts";
import { noSsh, sshEnvironment } from "./system-ssh-environment.ts";

const home = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-config-"));
after(() => fs.rmSync(home, { recursive: true }));
fs.mkdirSync(path.join(home, ".ssh", "conf.d"), { recursive: true });
fs.writeFileSync(path.join(home, ".ssh", "conf.d", "10-work"), "Host work\n  Port 2210\n  User included\nHost *\n  ConnectTimeout 9\n");
fs.writeFileSync(path.join(home, ".ssh", "conf.d", "20-more"), "Host work other\n  Port 1\n  IdentityFile ~/.ssh/more\n");

/** Where PATH has no ssh, and the person's file says this. */
function withoutSsh(configuration: string): NodeJS.ProcessEnv {
  fs.writeFileSync(path.join(home, ".ssh", "config"), configuration);
  return { PATH: path.join(home, "nothing"), HOME: home, AGENT: "/run/agent.sock" };
}

const INCLUDE = path.join(home, ".ssh", "conf.d", "*");
const configurations: readonly (readonly [string, string])[] = [
  ["nothing at all", ""],
  ["the first value stands", "Host work\n Port 1\n Port 2\nHost *\n Port 3\n User anybody\n"],
  ["patterns and negation", "Host w*k !work\n User wrong\nHost ?ork other\n User right\nHost !other *\n Port 99\n"],
  ["HostName with tokens", "Host work\n HostName %h.Example.org\n"],
  [
    "an equals sign, quotes, comments and case",
    'hOsT work\n\tuser="some body" # him\n  PORT = 2222\n# Port 1\n IdentityFile "~/key file"\n',
  ],
  [
    "several keys and known_hosts files",
    "IdentityFile ~/.ssh/a\nHost work\n IdentityFile %d/.ssh/%n_%r\n UserKnownHostsFile ~/k1 /k2\n IdentitiesOnly true\n",
  ],
  ["no keys", "IdentityFile none\nGlobalKnownHostsFile none\n"],
  [
    "Include at the top and in a Host that does not match",
    `Include ${INCLUDE}\nHost nobody\n Include ${INCLUDE}\n Port 7\nHost *\n User last\n`,
  ],
  ["Include in a Host that matches", `Host work\n Include ${INCLUDE}\n User after\nHost *\n Port 5\n`],
  [
    "Match host, originalhost and user",
    "Host work\n HostName real\n User me\nMatch host real user m*\n Port 1\nMatch originalhost real\n Port 2\nMatch !host real\n Port 3\n",
  ],
  [
    "Match exec and its negation",
    'Match host work exec "test %h = work"\n Port 1\nMatch !exec "true"\n User no\nMatch exec "exit 1"\n User no\nMatch all\n User yes\n',
  ],
  ["Match final", "Host work\n HostName real\nMatch final host real\n Port 77\nMatch canonical\n Port 78\n"],
  [
    "a jump before a command, and a command before a jump",
    "Host work\n ProxyJump gate:22,%r@b\nHost *\n ProxyCommand nc -X connect %h %p\nHost other\n ProxyJump none\n",
  ],
  ["a command with quotes", 'Host *\n ProxyCommand sh -c "nc %h %p"\n ProxyJump gate\n'],
  ["agents", "Host work\n IdentityAgent $AGENT\nHost other\n IdentityAgent /run/%n.sock\n"],
  ["times", "Host work\n ConnectTimeout 2m\nHost other\n ConnectTimeout 15\n"],
  ["what only the system's ssh can do", "Host work\n CertificateFile ~/c\n BindAddress 127.0.0.1\n\n"],
  ["HostKeyAlias and algorithms", "HostKeyAlias Real-Name\nHostKeyAlgorithms ssh-ed25519,rsa-sha2-512\nAddressFamily inet\n"],
];

suite("S2 without an ssh the files are read as ssh reads them", { skip: noSsh }, () => {
  for (const [name, configuration] of configurations) {
    test(name, async () => {
      for (const host of ["work", "me@other:2200"]) {
        const ours = await resolveTarget(host, { env: withoutSsh(configuration) });
        const theirs = await resolveTarget(host, { env: { ...sshEnvironment(home, configuration), HOME: home } });
        assert.deepEqual([ours.resolvedBy, theirs.resolvedBy], ["ssh-config", "ssh"]);
        assert.deepEqual(comparable(ours), comparable(theirs), host);
      }
    });
  }
});

/** Without what only one of the two lists where nothing is configured; ssh knows its home from the passwd entry alone. */
function comparable(target: SshTarget): object {
  const { resolvedBy: _by, hostKeyAlgorithms: algorithms = [], publicKeyAlgorithms: _all, otherSettings, via, ...rest } = target;
  const isDefault = (keyword: string, value: string): boolean =>
    keyword === "preferredauthentications" ||
    keyword === "gssapiauthentication" ||
    keyword === "hashknownhosts" ||
    (keyword === "pubkeyauthentication" ? /yes|true/ : /^no$/).test(value);
  return {
    ...rest,
    hostKeyAlias: rest.hostKeyAlias?.toLowerCase(),
    identityFiles: rest.identityFiles.filter((file) => !/id_(dsa|xmss)$/.test(file)),
    knownHostsFiles: rest.knownHostsFiles.map((file) => file.replace(os.userInfo().homedir, home)),
    algorithms: algorithms.length > 3 ? [] : algorithms,
    settings: [...otherSettings].filter(([keyword, value]) => !isDefault(keyword, value)),
    proxyCommand: via ? undefined : rest.proxyCommand,
    via: via && comparable(via),
  };
}

test("a relative Include is looked for beside the configuration", async () => {
  const target = await resolveTarget("work", { env: withoutSsh("Include conf.d/*\n") });
  assert.deepEqual([target.port, target.user, target.connectTimeoutMs], [2210, "included", 9000]);
});

test("what would have to be guessed is refused with its place", async () => {
  const cases: [string, RegExp][] = [
    ["Match localnetwork 10.0.0.0/8\n Port 1\n", /Match localnetwork.*config/],
    ["CanonicalizeHostname yes\n", /CanonicalizeHostname yes/],
    ["HostKeyAlgorithms -ssh-rsa\n", /hostkeyalgorithms -ssh-rsa/],
    ['Host "work\n Port 1\n', /cannot make sense of .*config/],
    [`Include ${path.join(home, ".ssh", "config")}\n`, /more than 16 Includes/],
  ];
  for (const [configuration, message] of cases) {
    await assert.rejects(
      resolveTarget("work", { env: withoutSsh(configuration) }),
      { code: "ssh_config_unsupported", message },
      configuration,
    );
  }
  fs.rmSync(path.join(home, ".ssh", "config"));
  fs.mkdirSync(path.join(home, ".ssh", "config"));
  await assert.rejects(resolveTarget("work", { env: { PATH: "", HOME: home } }), { code: "ssh_config_unsupported", message: /EISDIR/ });
  fs.rmdirSync(path.join(home, ".ssh", "config"));
});

test("what only the system's ssh can do is refused by its name where there is none", async () => {
  const env = withoutSsh("KnownHostsCommand /bin/true\n");
  const target = await resolveTarget("work", { env });
  await assert.rejects(chooseTransport(target, { env }), {
    code: "ssh_config_unsupported",
    message: /KnownHostsCommand/,
    hint: /install OpenSSH/,
  });
  await assert.rejects(chooseTransport(target, { env, wish: "ssh" }), { code: "ssh_config_unsupported", message: /no ssh command/ });
});
