import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { chooseTransport } from "../../../src/ssh/choose-transport.ts";
import { resolveTarget } from "../../../src/ssh/ssh-target.ts";
import { noSsh, sshEnvironment } from "./system-ssh-environment.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-target-"));
after(() => fs.rmSync(directory, { recursive: true }));

const environment = (configuration: string): NodeJS.ProcessEnv => sshEnvironment(directory, configuration);

suite("S2 resolveTarget asks the system's ssh", { skip: noSsh }, () => {
  test("alias, HostName, User, Port, keys, agent, known_hosts, tokens and Match", async () => {
    const env = environment(`
      Match host web exec "true"
        User deploy
      Host web
        HostName web.Example.org
        Port 2200
        IdentityFile ~/.ssh/id_%h
        IdentityFile "/keys/with space"
        IdentitiesOnly yes
        IdentityAgent $AGENT
        UserKnownHostsFile "/tmp/a b/known" ~/.ssh/other
        GlobalKnownHostsFile none
        HostKeyAlias Web-Alias
        HostKeyAlgorithms ssh-ed25519,rsa-sha2-512
        ConnectTimeout 7
        AddressFamily inet6`);
    const target = await resolveTarget("web", { env });
    assert.equal(target.host, "web.example.org");
    assert.deepEqual([target.alias, target.port, target.user, target.addressFamily], ["web", 2200, "deploy", 6]);
    assert.deepEqual(target.identityFiles, [path.join(directory, ".ssh", "id_web.example.org"), "/keys/with space"]);
    assert.deepEqual([target.identitiesOnly, target.identityAgent, target.connectTimeoutMs], [true, "/run/agent.sock", 7000]);
    assert.equal(target.knownHostsFiles[0], "/tmp/a b/known");
    assert.equal(target.hostKeyAlias?.toLowerCase(), "web-alias");
    assert.deepEqual(target.hostKeyAlgorithms, ["ssh-ed25519", "rsa-sha2-512"]);
    assert.equal((await chooseTransport(target, { env })).name, "ssh2");
  });

  test("user and port that were typed win", async () => {
    const target = await resolveTarget("me@web:99", { env: environment("Host web\n User deploy\n Port 2200\n") });
    assert.deepEqual([target.user, target.port, target.host], ["me", 99, "web"]);
  });

  test("a configuration that ssh refuses is quoted", async () => {
    const resolution = resolveTarget("web", { env: environment("Host web\n Nonsense yes\n") });
    await assert.rejects(resolution, { code: "ssh_failed", message: /nonsense/i });
  });

  test("what ssh2 cannot honour goes by the system's ssh, with the setting as the reason, and is refused where ssh2 is wished", async () => {
    const settings = [
      "BindAddress 127.0.0.1",
      "CertificateFile ~/c",
      "KnownHostsCommand /k",
      "PreferredAuthentications hostbased",
      "PubkeyAuthentication no",
      "RevokedHostKeys /r",
    ];
    for (const setting of settings) {
      const env = environment(`Host web\n ${setting}\n`);
      const target = await resolveTarget("web", { env });
      const keyword = new RegExp(setting.split(" ")[0] ?? "");
      const { name, reason } = await chooseTransport(target, { env });
      assert.equal(name, "ssh", setting);
      assert.match(reason, keyword);
      await assert.rejects(chooseTransport(target, { env, wish: "ssh2" }), { code: "ssh_config_unsupported", message: keyword });
    }
  });

  test("a wish decides where both can", async () => {
    const env = environment("");
    const target = await resolveTarget("web", { env });
    assert.equal((await chooseTransport(target, { env })).name, "ssh2");
    assert.equal((await chooseTransport(target, { env, wish: "ssh" })).name, "ssh");
  });

  test("ProxyJump: each hop is resolved by the configuration; the typed part of a chain wins over a hop's own jump", async () => {
    const env = environment(`
      Host far
        ProxyJump %r@middle:2201,near
        User deploy
      Host middle
        HostName middle.example
        ProxyJump elsewhere
      Host near
        User gate
        ProxyJump middle`);
    const far = await resolveTarget("far", { env });
    const hops = [far.via, far.via?.via, far.via?.via?.via];
    assert.deepEqual(
      hops.map((hop) => hop && [hop.alias, hop.user, hop.port]),
      [
        ["near", "gate", 22],
        ["middle", "deploy", 2201],
        ["elsewhere", far.via?.via?.via?.user, 22],
      ],
    );
    assert.equal(far.via?.via?.host, "middle.example");
    const circle = environment("Host web\n ProxyJump gate\nHost gate\n ProxyJump web\n");
    await assert.rejects(resolveTarget("web", { env: circle }), { code: "ssh_config_unsupported", message: /ProxyJump/ });
  });
});

test("without an ssh its defaults count", async () => {
  const env = { PATH: path.join(directory, "nothing"), HOME: directory };
  const target = await resolveTarget("me@web:99", { env });
  assert.deepEqual([target.host, target.user, target.port, target.identityAgent], ["web", "me", 99, undefined]);
  assert.ok(target.identityFiles.includes(path.join(directory, ".ssh", "id_ed25519")));
  assert.equal(target.knownHostsFiles[0], path.join(directory, ".ssh", "known_hosts"));
  assert.equal((await chooseTransport(target, { env })).name, "ssh2");
  await assert.rejects(chooseTransport(target, { env, wish: "ssh" }), { code: "ssh_config_unsupported", message: /no ssh command/ });
});
