import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, suite, test } from "node:test";
import { connectSsh } from "../../../src/ssh/connect.ts";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";
import type { SshConnection } from "../../../src/ssh/transport.ts";
import { startFaultServer } from "./start-fault-server.ts";
import { noSshd, startSshd, type TestSshd } from "./start-sshd.ts";

suite("S1 host keys against a real sshd", { skip: noSshd }, () => {
  let sshd: TestSshd;
  before(async () => {
    sshd = await startSshd({ hostKeys: ["ed25519", "ecdsa", "rsa"] });
  });
  after(() => sshd[Symbol.asyncDispose]());

  const withKnownHosts = (content: string, changes: Partial<SshTarget> = {}): SshTarget => {
    const file = path.join(sshd.directory, "known_hosts_test");
    fs.writeFileSync(file, content);
    return sshd.target({ knownHostsFiles: [file], ...changes });
  };
  /** A key of the right type that the server does not have. */
  const otherKey = (): string => `${sshd.hostKeys.ed25519}`.replace(/.{6}$/, "AAAAAA");
  const name = (): string => `[127.0.0.1]:${sshd.port}`;

  test("a server with several keys shows the one that is known, whichever that is", async () => {
    for (const type of ["ed25519", "ecdsa", "rsa"] as const) {
      const connection = await connectSsh(withKnownHosts(`${name()} ${sshd.hostKeys[type]}\n`));
      connection.close();
      await connection.closed;
    }
  });

  test("unknown, changed and revoked keys are refused with the fingerprint, the file and the line", async () => {
    const other = otherKey();
    const cases: [string, string, RegExp][] = [
      ["", "host_key_unknown", /SHA256:.*known_hosts_test/],
      [`\n${name()} ${other}\n`, "host_key_changed", /known_hosts_test:2/],
      [`${name()} ${sshd.hostKeys.ed25519}\n@revoked * ${sshd.hostKeys.ed25519}\n`, "host_key_revoked", /known_hosts_test:2/],
      [`@cert-authority * ${sshd.hostKeys.ed25519}\n`, "host_key_unknown", /only certificates/],
    ];
    for (const [content, code, message] of cases) {
      await assert.rejects(connectSsh(withKnownHosts(content)), { code, message });
    }
  });

  test("a new key becomes known by the fingerprint that a person compared; another one, a changed or a revoked key does not", async () => {
    const refusal: Error = await connectSsh(withKnownHosts("")).then(
      () => assert.fail("connected"),
      (error) => error,
    );
    const [fingerprint = ""] = /SHA256:\S+?(?=;)/.exec(refusal.message) ?? [];
    const accept = (content: string, accepted = fingerprint, settings: Record<string, string> = {}): Promise<SshConnection> => {
      const target = withKnownHosts(content, { otherSettings: new Map(Object.entries(settings)) });
      return connectSsh(target, { acceptedFingerprints: [accepted] });
    };
    const kept = (): string => fs.readFileSync(path.join(sshd.directory, "known_hosts_test"), "utf8");
    for (const [settings, line] of [
      [{}, /^other ssh-ed25519 AAAA\n\[127\.0\.0\.1\]:\d+ ssh-ed25519 \S+\n$/],
      [{ hashknownhosts: "yes" }, /^other ssh-ed25519 AAAA\n\|1\|\S+ ssh-ed25519 \S+\n$/],
    ] as const) {
      const connection = await accept("other ssh-ed25519 AAAA", fingerprint, settings);
      connection.close();
      await connection.closed;
      assert.match(kept(), line);
    }
    await assert.rejects(accept("", `SHA256:${"a".repeat(43)}`), { code: "host_key_unknown" });
    assert.equal(kept(), "");
    await assert.rejects(accept(`${name()} ${otherKey()}\n`), { code: "host_key_changed" });
    await assert.rejects(accept(`@revoked * ${sshd.hostKeys.ed25519}\n`), { code: "host_key_revoked" });
    const nowhere = connectSsh(sshd.target({ knownHostsFiles: ["/dev/null"] }), { acceptedFingerprints: [fingerprint] });
    await assert.rejects(nowhere, { code: "known_hosts_unreadable", message: /does not keep/ });
  });

  test("the hint's ssh-keygen -R removes the line that it is about", async () => {
    const target = withKnownHosts(`${name()} ${otherKey()}\n`);
    const error = await connectSsh(target).catch((thrown) => thrown);
    const [, file, host] = /ssh-keygen -f "([^"]+)" -R "([^"]+)"/.exec(error.hint) ?? [];
    assert.deepEqual([file, host], [target.knownHostsFiles[0], name()]);
  });

  test("HostKeyAlias is looked up instead of the address", async () => {
    const connection = await connectSsh(withKnownHosts(`prod ${sshd.hostKeys.rsa}\n`, { hostKeyAlias: "prod" }));
    connection.close();
    await connection.closed;
  });

  test("an unreadable file is refused before anything is sent", async () => {
    const target = sshd.target({ knownHostsFiles: [sshd.directory] });
    await assert.rejects(connectSsh(target), { code: "known_hosts_unreadable", message: new RegExp(sshd.directory) });
  });

  test("a refused server never sees an attempt to authenticate", async () => {
    await using server = await startFaultServer(sshd.directory, () => {});
    await assert.rejects(connectSsh(server.target({ knownHostsFiles: [], identityFiles: [sshd.identity] })), { code: "host_key_unknown" });
    assert.equal(server.authentications(), 0);
  });
});
