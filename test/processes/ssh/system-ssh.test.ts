import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { connectSsh } from "../../../src/ssh/connect.ts";
import { resolveTarget } from "../../../src/ssh/ssh-target.ts";
import type { SshConnection } from "../../../src/ssh/transport.ts";
import { makeKey, noSshd, startSshd, type TestSshd } from "../../unit/ssh/start-sshd.ts";
import { configurationOf, noSsh, sshEnvironment } from "../../unit/ssh/system-ssh-environment.ts";

suite("the system's ssh as the transport", { skip: noSsh || noSshd }, () => {
  let sshd: TestSshd;
  before(async () => {
    sshd = await startSshd({ hostKeys: ["ed25519"] });
  });
  after(() => sshd[Symbol.asyncDispose]());

  /** Connects as somebody would whose configuration is the server's own way in, after these lines. */
  const connect = async (lines: string, host = "server", transport?: "ssh"): Promise<SshConnection> => {
    const env = sshEnvironment(sshd.directory, `${lines}\n${configurationOf(sshd.target())}\n`);
    return await connectSsh(await resolveTarget(host, { env }), { env, transport });
  };
  const knownHosts = (content: string): string => {
    const file = path.join(sshd.directory, "known_hosts_test");
    fs.writeFileSync(file, content);
    return `UserKnownHostsFile ${file}`;
  };
  const name = (): string => `[127.0.0.1]:${sshd.port}`;

  test("S1 unknown, changed and revoked host keys are refused as by ssh2, whatever StrictHostKeyChecking says", async () => {
    const { ed25519 = "" } = sshd.hostKeys;
    const cases: [string, string, RegExp][] = [
      ["", "host_key_unknown", /no ED25519 key for/],
      [`\n${name()} ${ed25519.replace(/.{6}$/, "AAAAAA")}\n`, "host_key_changed", /SHA256:.*known_hosts_test:2/],
      [`${name()} ${ed25519}\n@revoked * ${ed25519}\n`, "host_key_revoked", /server is revoked/],
    ];
    for (const [content, code, message] of cases) {
      const attempt = connect(`${knownHosts(content)}\nStrictHostKeyChecking no\nUpdateHostKeys yes`, "server", "ssh");
      await assert.rejects(attempt, { code, message });
      assert.equal(fs.readFileSync(path.join(sshd.directory, "known_hosts_test"), "utf8"), content);
    }
  });

  test("S1 a host certificate of a @cert-authority is accepted, for its principal alone", async () => {
    const authority = path.join(sshd.directory, "host_ca");
    const publicKey = makeKey(authority, "ed25519");
    const hostKey = path.join(sshd.directory, "host_ed25519");
    execFileSync("ssh-keygen", ["-q", "-s", authority, "-I", "server", "-h", "-n", "server", `${hostKey}.pub`]);
    await using certified = await startSshd({
      hostKeys: ["ed25519"],
      config: [`HostKey ${hostKey}`, `HostCertificate ${hostKey}-cert.pub`],
    });
    certified.authorize(`${sshd.identity}.pub`);
    const way = `HostKeyAlias %n\nPort ${certified.port}\n`;
    const connection = await connect(`HostKeyAlias server\n${way}${knownHosts(`@cert-authority ser* ${publicKey}\n`)}`);
    assert.match(connection.description, /\(ssh\)$/);
    connection.close();
    await connection.closed;
    const other = `HostKeyAlias service\n${way}${knownHosts(`@cert-authority ser* ${publicKey}\n`)}`;
    await assert.rejects(connect(other), { code: "host_key_unknown" });
  });

  test("S3 a user certificate beside the key lets us in where the key alone does not", async () => {
    const authority = path.join(sshd.directory, "user_ca");
    makeKey(authority, "ed25519");
    const identity = path.join(sshd.directory, "id_certified");
    makeKey(identity, "ed25519");
    const { user } = sshd.target();
    execFileSync("ssh-keygen", ["-q", "-s", authority, "-I", user, "-n", user, `${identity}.pub`]);
    await using server = await startSshd({ hostKeys: ["ed25519"], config: [`TrustedUserCAKeys ${authority}.pub`] });
    const known = knownHosts(`[127.0.0.1]:${server.port} ${server.hostKeys.ed25519}\n`);
    const way = `Port ${server.port}\nIdentityFile ${identity}\nIdentitiesOnly yes\n${known}`;
    const connection = await connect(way);
    assert.match(connection.description, /\(ssh\)$/);
    connection.close();
    await connection.closed;
    fs.rmSync(`${identity}-cert.pub`);
    await assert.rejects(connect(way), { code: "authentication_failed" });
  });

  test("S3 a key that is refused and one with a passphrase: told, without a question", async () => {
    const locked = path.join(sshd.directory, "id_locked");
    makeKey(locked, "ed25519", "secret");
    const env = sshEnvironment(sshd.directory, configurationOf(sshd.target({ identityFiles: [locked] })));
    const target = await resolveTarget("server", { env });
    const error = await connectSsh(target, { env, transport: "ssh" }).catch((thrown) => thrown);
    assert.deepEqual(
      [error.code, /let us in; it takes publickey/.test(error.message), /ssh-add/.test(error.hint)],
      ["authentication_failed", true, true],
    );
  });

  test("S1 two hops, each checked under its own name: a wrong key is told by the name of its hop", async () => {
    const right = sshd.hostKeys.ed25519;
    const wrong = right?.replace(/.{6}$/, "AAAAAA");
    const way = "Host first second server\nHostKeyAlias %n\nHost server\nProxyJump first,second\nMatch all\n";
    const aliases = ["first", "second", "server"].map((host) => `Host ${host}\nHostKeyAlias ${host}\n`).join("");
    const lines = (...[first, second, server]: (string | undefined)[]): string =>
      knownHosts(`first ${first}\nsecond ${second}\nserver ${server}\n`);
    const attempt = connect(`${aliases}${way}${lines(wrong, right, right)}`, "server", "ssh");
    await assert.rejects(attempt, { code: "host_key_changed", message: /host key of first has CHANGED/ });
    const known = lines(right, right, right);
    const connection = await connect(`${aliases}${way}${known}`, "server", "ssh");
    const process = await connection.exec("echo there");
    assert.equal(await text(process.stdout), "there\n");
    connection.close();
    await connection.closed;
  });

  test("L2 whoever holds the connection is killed with -9: ssh and its directory go as well", async () => {
    const temporary = fs.mkdtempSync(path.join(sshd.directory, "tmp-"));
    const env = { ...sshEnvironment(sshd.directory, configurationOf(sshd.target())), TMPDIR: temporary };
    const holder = spawn(process.execPath, [path.join(import.meta.dirname, "../../unit/ssh/hold-connection.ts"), "server"], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data", { signal: AbortSignal.timeout(20_000) });
    assert.equal(fs.readdirSync(temporary).length, 1);
    holder.kill("SIGKILL");
    const deadlineMs = Date.now() + 10_000;
    while (fs.readdirSync(temporary).length > 0) {
      assert.ok(Date.now() < deadlineMs, "ssh is still there");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  test("a ProxyCommand that fails or never answers, and a name that nobody has", async () => {
    // ssh puts `exec` before it: without a shell between, echo would close what ssh reads before it has said anything.
    await assert.rejects(connect('ProxyCommand sh -c "echo no way out >&2; false"', "server", "ssh"), {
      code: "ssh_failed",
      message: /no way out/,
    });
    await assert.rejects(connect("HostName no-such-host.invalid", "server", "ssh"), { code: "host_not_found" });
    await assert.rejects(connect("HostName 127.0.0.1\nPort 1", "server", "ssh"), {
      code: "host_unreachable",
      message: /port 1: Connection refused/,
    });
  });
});
