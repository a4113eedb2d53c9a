import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, suite, test } from "node:test";
import "../support/no-leftovers.ts";
import type { ClientReport } from "./fixtures/ssh-client.ts";
import { bundleFixture } from "./harness/bundle-fixture.ts";
import type { Host } from "./harness/host.ts";
import { createNetwork, type Network } from "./harness/network.ts";
import { whyNoHosts } from "./harness/prerequisites.ts";

const skip = whyNoHosts();
const timeout = 300_000;
/** The machine, the account and the key or certificate that it let in. */
const WHO = 'hostname; id -un; grep -o "^publickey [^ ]* [^ ]*" "$SSH_USER_AUTH"';

interface Configuration {
  readonly name: string;
  readonly config?: string;
  /** `known_hosts`; what everybody knows if it is not given. */
  readonly known?: string | ((keys: Keys) => string);
  readonly host?: string;
  readonly agent?: boolean;
  readonly outcome: "connected" | "host key" | "authentication" | "name" | "reach" | "other";
  /** Only with an ssh command: without one it is refused by the setting's name. */
  readonly needsSsh?: true;
  readonly prepare?: (laptop: Host) => void;
}

interface Keys {
  readonly server: string;
  readonly serverEcdsa: string;
  readonly gate: string;
  readonly middle: string;
  readonly authority: string;
}

const ALL = (keys: Keys): string =>
  lines(`server ${keys.server}`, `[server]:2222 ${keys.server}`, `gate ${keys.gate}`, `middle ${keys.middle}`);
const ONLY = (file: string): string => `IdentityFile ${file}\nIdentitiesOnly yes\nIdentityAgent none\n`;

const configurations: readonly Configuration[] = [
  { name: "a bare host name", outcome: "connected" },
  { name: "an alias with HostName", config: "Host work\n HostName server\n", host: "work", outcome: "connected" },
  { name: "Port, under [host]:port", config: "Host server\n Port 2222\n", outcome: "connected" },
  { name: "a typed port", host: "server:2222", outcome: "connected" },
  {
    name: "[host]:port known under the bare name alone",
    known: (keys) => `server ${keys.server}`,
    host: "server:2222",
    outcome: "connected",
  },
  { name: "a typed user", host: "ccmdev@server", config: "User nobody\n", outcome: "connected" },
  { name: "a user that the server does not let in", config: "User games\n", outcome: "authentication" },
  { name: "IdentityFile and IdentitiesOnly", config: ONLY("~/.ssh/id_rsa"), outcome: "connected" },
  { name: "tokens in IdentityFile", config: ONLY("%d/.ssh/id_%r_%h"), outcome: "connected" },
  { name: "a key that the server does not know", config: ONLY("~/.ssh/id_stranger"), outcome: "authentication" },
  { name: "a key with a passphrase and no agent", config: ONLY("~/.ssh/id_locked"), outcome: "authentication" },
  {
    name: "a key with a passphrase in the agent",
    config: "IdentityFile ~/.ssh/id_locked\nIdentitiesOnly yes\n",
    agent: true,
    outcome: "connected",
  },
  {
    name: "IdentityAgent",
    config: "IdentityFile ~/.ssh/id_locked\nIdentitiesOnly yes\nIdentityAgent ~/agent.sock\n",
    outcome: "connected",
  },
  {
    name: "IdentityAgent none with the key only in the agent",
    config: "IdentityFile none\nIdentityAgent none\n",
    agent: true,
    outcome: "authentication",
  },
  {
    name: "S3 more keys in the agent than the server tries",
    config: "Host server\n Port 2223\n IdentityFile none\n",
    agent: true,
    known: (keys) => `[server]:2223 ${keys.server}`,
    outcome: "authentication",
  },
  {
    name: "S3 the right one of them named",
    config: "Host server\n Port 2223\n IdentityFile ~/.ssh/id_locked\n IdentitiesOnly yes\n",
    agent: true,
    known: (keys) => `[server]:2223 ${keys.server}`,
    outcome: "connected",
  },
  { name: "a key that others can read", config: ONLY("~/.ssh/id_open"), outcome: "authentication" },
  { name: "no key at all", config: "IdentityFile none\nIdentityAgent none\n", outcome: "authentication" },
  { name: "S1 an unknown host", known: "", outcome: "host key" },
  { name: "S1 a changed key", known: (keys) => `server ${keys.gate}`, outcome: "host key" },
  { name: "S1 a revoked key", known: (keys) => lines(`server ${keys.server}`, `@revoked * ${keys.server}`), outcome: "host key" },
  { name: "S1 a hashed entry", known: (keys) => `${hashed("server")} ${keys.server}`, outcome: "connected" },
  { name: "S1 patterns", known: (keys) => `s*er,!gate ${keys.server}`, outcome: "connected" },
  { name: "S1 a negated pattern", known: (keys) => `s*er,!server ${keys.server}`, outcome: "host key" },
  { name: "S1 only another type of its keys is known", known: (keys) => `server ${keys.serverEcdsa}`, outcome: "connected" },
  {
    name: "S1 HostKeyAlgorithms leaves only what is not known",
    config: "HostKeyAlgorithms ecdsa-sha2-nistp256\n",
    known: (keys) => `server ${keys.server}`,
    outcome: "host key",
  },
  { name: "S1 HostKeyAlias", config: "HostKeyAlias farm\n", known: (keys) => `farm ${keys.server}`, outcome: "connected" },
  { name: "S1 several known_hosts files", config: "UserKnownHostsFile ~/.ssh/empty ~/.ssh/known_more\n", known: "", outcome: "connected" },
  { name: "S1 GlobalKnownHostsFile", config: "GlobalKnownHostsFile ~/.ssh/known_more\n", known: "", outcome: "connected" },
  {
    name: "S1 a damaged line beside a good one",
    known: (keys) => lines("server ssh-ed25519 AAAA", "nonsense", `server ${keys.server}`),
    outcome: "connected",
  },
  {
    name: "S1 a host certificate of a @cert-authority",
    config: "Port 2224\n",
    known: (keys) => `@cert-authority [server]:2224 ${keys.authority}`,
    outcome: "connected",
    needsSsh: true,
  },
  {
    name: "S1 the authority of other hosts",
    config: "Port 2224\n",
    known: (keys) => `@cert-authority [gate]:2224 ${keys.authority}`,
    outcome: "host key",
  },
  { name: "S3 a user certificate", config: ONLY("~/.ssh/id_certified"), outcome: "connected", needsSsh: true },
  {
    name: "CertificateFile",
    config: `${ONLY("~/.ssh/id_bare")}CertificateFile ~/.ssh/id_certified-cert.pub\n`,
    outcome: "connected",
    needsSsh: true,
  },
  {
    name: "KnownHostsCommand",
    config: "KnownHostsCommand /bin/cat /home/ccmdev/.ssh/known_more\n",
    known: "",
    outcome: "connected",
    needsSsh: true,
  },
  { name: "BindAddress", config: "Host server\n BindAddress 127.0.0.1\n", outcome: "reach", needsSsh: true },
  { name: "PubkeyAuthentication no", config: "PubkeyAuthentication no\n", outcome: "authentication", needsSsh: true },
  { name: "S2 ProxyJump", config: "Host server\n ProxyJump gate\n", outcome: "connected" },
  { name: "S2 ProxyJump, two hops", config: "Host server\n ProxyJump gate,ccmdev@middle:22\n", outcome: "connected" },
  {
    name: "S2 a hop with a jump of its own",
    config: "Host server\n ProxyJump middle\nHost middle\n ProxyJump gate\n",
    outcome: "connected",
  },
  {
    name: "S1 the first hop is not known",
    config: "Host server\n ProxyJump gate,middle\n",
    known: (keys) => lines(`server ${keys.server}`, `middle ${keys.middle}`),
    outcome: "host key",
  },
  {
    name: "S1 the second hop shows another key",
    config: "Host server\n ProxyJump gate,middle\n",
    known: (keys) => lines(`server ${keys.server}`, `gate ${keys.gate}`, `middle ${keys.gate}`),
    outcome: "host key",
  },
  { name: "a hop that does not let us in", config: "Host server\n ProxyJump games@gate\n", outcome: "authentication" },
  {
    name: "S2 ProxyCommand",
    config: "Host server\n ProxyCommand /bin/bash -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & cat >&3'\n",
    outcome: "connected",
  },
  { name: "a ProxyCommand that fails", config: "Host server\n ProxyCommand exit 3\n", outcome: "other" },
  { name: "S2 Include", config: "Include conf.d/*\n", host: "work", outcome: "connected" },
  {
    name: "S2 Match host and exec",
    config: 'Match originalhost work exec "test %n = work"\n HostName server\nMatch final all\n Port 2222\n',
    host: "work",
    outcome: "connected",
  },
  { name: "AddressFamily", config: "AddressFamily inet\n", outcome: "connected" },
  { name: "nobody listens", host: "server:2999", outcome: "reach" },
  { name: "a name that nobody has", host: "nobody-here", outcome: "name" },
];

suite("S2 each ssh configuration, by us and by the system's ssh", { skip, timeout }, () => {
  let network: Network;
  let laptop: Host;
  let client: string;
  let keys: Keys;

  before(async () => {
    network = await createNetwork();
    const [one, server, gate, middle] = await Promise.all(["laptop", "server", "gate", "middle"].map((name) => network.host(name)));
    assert.ok(one && server && gate && middle);
    laptop = one;
    client = await bundleFixture(network, "ssh-client");
    keys = { ...(await prepareServer(server)), gate: hostKey(gate), middle: hostKey(middle) };
    await prepareLaptop(laptop, server, keys);
  });
  after(() => network[Symbol.asyncDispose]());

  for (const configuration of configurations) {
    test(`${configuration.name}: ${configuration.outcome}`, async () => {
      const { config = "", known = ALL, host = "server", agent = false, needsSsh } = configuration;
      laptop.putFile(".ssh/config", config, 0o600);
      laptop.putFile(".ssh/known_hosts", `${typeof known === "string" ? known : known(keys)}\n`, 0o600);
      const env = agent ? { SSH_AUTH_SOCK: `${laptop.home}/agent.sock` } : {};
      const theirs = await systemSsh(laptop, host, env);
      assert.equal(theirs.outcome, configuration.outcome, theirs.words);
      const ours = await ccmSsh(laptop, host, env);
      assert.deepEqual([kindOf(ours.outcome), ours.stdout], [theirs.outcome, theirs.stdout], ours.words);
      const alone = await ccmSsh(laptop, host, { ...env, PATH: `${laptop.home}/tools` });
      if (needsSsh) assert.match(alone.outcome, /ssh_config_unsupported|host_key_unknown|authentication_failed/, alone.words);
      else assert.deepEqual([kindOf(alone.outcome), alone.stdout], [theirs.outcome, theirs.stdout], alone.words);
    });
  }

  async function ccmSsh(host: Host, to: string, env: NodeJS.ProcessEnv): Promise<ClientReport> {
    const { stdout, stderr } = await host.exec(network.node, [client, to, WHO], { env });
    assert.ok(stdout.startsWith("{"), stderr);
    return JSON.parse(stdout);
  }
});

/** As somebody types it who wants no question: the port has no place in ssh's own spelling of a host. */
async function systemSsh(laptop: Host, host: string, env: NodeJS.ProcessEnv): Promise<Omit<ClientReport, "milliseconds">> {
  const [name = "", port] = host.split(":");
  const options = ["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "UpdateHostKeys=no", ...(port ? ["-p", port] : [])];
  const { code, stdout, stderr } = await laptop.exec("ssh", [...options, name, WHO], { env });
  return { outcome: code === 0 ? "connected" : reasonOf(stderr), stdout, words: stderr };
}

function reasonOf(stderr: string): string {
  if (/Host key verification failed/.test(stderr)) return "host key";
  if (/Permission denied|Too many authentication/.test(stderr)) return "authentication";
  if (/Could not resolve/.test(stderr)) return "name";
  return /refused|timed out|No route|Network is unreachable|Invalid argument|bind/.test(stderr) ? "reach" : "other";
}

function kindOf(outcome: string): string {
  if (outcome.startsWith("host_key_")) return "host key";
  const kinds: Record<string, string> = {
    authentication_failed: "authentication",
    host_not_found: "name",
    host_unreachable: "reach",
    ssh_failed: "other",
  };
  return kinds[outcome] ?? outcome;
}

/** Listens on more ports: 2222 as on 22, 2223 with few tries, 2224 with a host certificate. Returns its keys and its authority. */
async function prepareServer(server: Host): Promise<Pick<Keys, "server" | "serverEcdsa" | "authority">> {
  const script = `set -e; cd /etc; ssh-keygen -q -t ecdsa -N "" -f ccm-ecdsa; ssh-keygen -q -t ed25519 -N "" -f ccm-authority
    cp ccm-host-key.pub ccm-certified.pub; ssh-keygen -q -s ccm-authority -I server -h -n server ccm-certified.pub
    sed "s/^PidFile.*/PidFile none/" ccm-sshd_config > ccm-others
    { echo "ExposeAuthInfo yes"; echo "TrustedUserCAKeys /etc/ccm-authority.pub"; cat ccm-sshd_config; echo "HostKey /etc/ccm-ecdsa"; echo "Port 22"; echo "Port 2222"; } > ccm-all
    mv ccm-all ccm-sshd_config
    { echo "Port 2223"; echo "MaxAuthTries 3"; echo "ExposeAuthInfo yes"; cat ccm-others; } > ccm-few
    { echo "Port 2224"; echo "ExposeAuthInfo yes"; echo "HostCertificate /etc/ccm-certified-cert.pub"; cat ccm-others; } > ccm-certificate`;
  const made = await server.exec("/bin/sh", ["-c", script], { user: "root" });
  assert.equal(made.code, 0, made.stderr);
  await server.restartSshd();
  for (const config of ["ccm-few", "ccm-certificate"]) {
    const started = await server.exec("/usr/sbin/sshd", ["-f", `/etc/${config}`], { user: "root" });
    assert.equal(started.code, 0, started.stderr);
  }
  const key = (file: string): string => server.readFile(file).split(" ").slice(0, 2).join(" ");
  return { server: hostKey(server), serverEcdsa: key("/etc/ccm-ecdsa.pub"), authority: key("/etc/ccm-authority.pub") };
}

async function prepareLaptop(laptop: Host, server: Host, keys: Keys): Promise<void> {
  laptop.putFile(".ssh/known_more", `server ${keys.server}\n`);
  laptop.putFile(".ssh/empty", "");
  laptop.putFile(".ssh/conf.d/10-work", "Host work\n HostName server\n", 0o600);
  laptop.putFile(".ssh/ccm-authority", server.readFile("/etc/ccm-authority"), 0o600);
  const script = `set -e; mkdir tools; for t in cat bash sh test; do ln -s $(command -v $t || echo /bin/$t) tools/$t; done; cd .ssh
    for k in stranger open certified; do ssh-keygen -q -t ed25519 -N "" -f id_$k; done
    ssh-keygen -q -t rsa -b 2048 -N "" -f id_rsa; ssh-keygen -q -t ed25519 -N secret -f id_locked; cp id_ed25519 id_ccmdev_server
    chmod 644 id_open; ssh-keygen -q -s ccm-authority -I me -n ccmdev id_certified.pub; cp id_certified id_bare
    for n in 1 2 3 4 5 6 7 8 9; do ssh-keygen -q -t ed25519 -N "" -f id_many_$n; done`;
  const made = await laptop.exec("/bin/sh", ["-c", script]);
  assert.equal(made.code, 0, made.stderr);
  const accepted = ["id_ed25519", "id_rsa", "id_locked", "id_open"].map((name) => laptop.readFile(`.ssh/${name}.pub`).trim());
  server.putFile(".ssh/authorized_keys", `${accepted.join("\n")}\n`, 0o600);
  laptop.putFile("askpass", "#!/bin/sh\necho secret\n", 0o755);
  const agent = `ssh-agent -a agent.sock >/dev/null; export SSH_AUTH_SOCK=$HOME/agent.sock
    for n in 1 2 3 4 5 6 7 8 9; do ssh-add -q .ssh/id_many_$n; done
    SSH_ASKPASS=$HOME/askpass SSH_ASKPASS_REQUIRE=force ssh-add -q .ssh/id_locked </dev/null`;
  const started = await laptop.exec("/bin/sh", ["-c", agent]);
  assert.equal(started.code, 0, started.stderr);
}

function hostKey(host: Host): string {
  return host.readFile("/etc/ccm-host-key.pub").split(" ").slice(0, 2).join(" ");
}

function lines(...all: string[]): string {
  return all.join("\n");
}

function hashed(name: string): string {
  const salt = Buffer.alloc(20, "salt");
  return `|1|${salt.toString("base64")}|${createHmac("sha1", salt).update(name).digest("base64")}`;
}
