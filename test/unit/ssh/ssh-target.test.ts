import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { chooseTransport } from "../../../src/ssh/choose-transport.ts";
import { resolveTarget } from "../../../src/ssh/ssh-target.ts";

const SSH = (process.env.PATH ?? "")
  .split(":")
  .map((folder) => path.join(folder, "ssh"))
  .find((file) => fs.existsSync(file));
const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-target-"));
after(() => fs.rmSync(directory, { recursive: true }));

/** ssh takes its configuration from the passwd entry's home and not from HOME, so a wrapper names the file. */
function environment(configuration: string): NodeJS.ProcessEnv {
  const file = path.join(directory, "config");
  fs.writeFileSync(file, configuration);
  fs.writeFileSync(path.join(directory, "ssh"), `#!/bin/sh\nexec ${SSH} -F ${file} "$@"\n`, { mode: 0o700 });
  return { PATH: `${directory}:${process.env.PATH}`, HOME: directory, AGENT: "/run/agent.sock" };
}

suite("S2 resolveTarget asks the system's ssh", { skip: SSH === undefined && "there is no ssh here" }, () => {
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
    assert.equal(chooseTransport(target), "ssh2");
  });

  test("user and port that were typed win", async () => {
    const target = await resolveTarget("me@web:99", { env: environment("Host web\n User deploy\n Port 2200\n") });
    assert.deepEqual([target.user, target.port, target.host], ["me", 99, "web"]);
  });

  test("a configuration that ssh refuses is quoted", async () => {
    const resolution = resolveTarget("web", { env: environment("Host web\n Nonsense yes\n") });
    await assert.rejects(resolution, { code: "ssh_failed", message: /nonsense/i });
  });

  test("what ssh2 cannot honour is refused by name, never skipped", async () => {
    for (const setting of [
      "ProxyJump hop",
      "ProxyCommand nc %h %p",
      "CertificateFile ~/c",
      "RevokedHostKeys /r",
      "PubkeyAuthentication no",
      "KnownHostsCommand /k",
    ]) {
      const target = await resolveTarget("web", { env: environment(`Host web\n ${setting}\n`) });
      assert.throws(
        () => chooseTransport(target),
        { code: "ssh_config_unsupported", message: new RegExp(setting.split(" ")[0] ?? "") },
        setting,
      );
    }
  });
});

test("without an ssh its defaults count", async () => {
  const env = { PATH: path.join(directory, "nothing"), HOME: directory };
  const target = await resolveTarget("me@web:99", { env });
  assert.deepEqual([target.host, target.user, target.port, target.identityAgent], ["web", "me", 99, undefined]);
  assert.ok(target.identityFiles.includes(path.join(directory, ".ssh", "id_ed25519")));
  assert.equal(target.knownHostsFiles[0], path.join(directory, ".ssh", "known_hosts"));
  assert.equal(chooseTransport(target), "ssh2");
});
