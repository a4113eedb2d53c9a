import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { connectSsh } from "../../../src/ssh/connect.ts";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";
import { noSshd, startSshd, type TestSshd } from "./start-sshd.ts";

suite("S2 jumps and proxy commands by ssh2", { skip: noSshd }, () => {
  let sshd: TestSshd;
  before(async () => {
    sshd = await startSshd({ hostKeys: ["ed25519"] });
  });
  after(() => sshd[Symbol.asyncDispose]());

  /** One server under three names, each with a key of its own in known_hosts. */
  const chain = (wrong?: string): SshTarget => {
    const right = sshd.hostKeys.ed25519 ?? "";
    const file = path.join(sshd.directory, "known_hosts_hops");
    const lines = ["first", "second", "server"].map((name) => `${name} ${name === wrong ? right.replace(/.{6}$/, "AAAAAA") : right}\n`);
    fs.writeFileSync(file, lines.join(""));
    const named = (name: string, via: SshTarget | undefined): SshTarget =>
      sshd.target({ alias: name, hostKeyAlias: name, knownHostsFiles: [file], via });
    return named("server", named("second", named("first", undefined)));
  };

  test("a command runs behind two hops, and closing takes the hops along", async () => {
    const connection = await connectSsh(chain());
    const process = await connection.exec("echo there");
    assert.equal(await text(process.stdout), "there\n");
    connection.close();
    await connection.closed;
  });

  for (const wrong of ["first", "second", "server"]) {
    test(`S1 the wrong key of ${wrong} alone is refused under its own name`, async () => {
      await assert.rejects(connectSsh(chain(wrong)), { code: "host_key_changed", message: new RegExp(`host key of ${wrong} .*CHANGED`) });
    });
  }

  test("what is behind the hop is not there: said with the hop's name", async () => {
    const target = { ...chain(), port: 1 };
    await assert.rejects(connectSsh(target), { code: "host_unreachable", message: /port 1 through second: Connection refused/ });
    const unknown = { ...chain(), host: "no-such-host.invalid" };
    await assert.rejects(connectSsh(unknown), { message: /no-such-host\.invalid port \d+ through second/ });
  });

  test("a ProxyCommand carries the connection, with its tokens put in", async () => {
    const proxy = path.join(sshd.directory, "proxy.mjs");
    fs.writeFileSync(
      proxy,
      `const s = (await import("node:net")).connect(+process.argv[3], process.argv[2]); process.stdin.pipe(s).pipe(process.stdout);\n`,
    );
    const connection = await connectSsh(sshd.target({ proxyCommand: `${process.execPath} ${proxy} %h %p` }));
    const remote = await connection.exec("echo there");
    assert.equal(await text(remote.stdout), "there\n");
    connection.close();
    await connection.closed;
  });

  test("a ProxyCommand that fails says why; one that never speaks has a deadline", async () => {
    const failing = sshd.target({ proxyCommand: "sh -c 'echo no way out >&2; exit 3'" });
    await assert.rejects(connectSsh(failing), { code: "ssh_failed", message: /ProxyCommand ended with 3: no way out/ });
    const mute = sshd.target({ proxyCommand: "cat" });
    await assert.rejects(connectSsh(mute, { timeouts: { handshakeMs: 300 } }), { name: "CcmError" });
    const silent = sshd.target({ proxyCommand: "sleep 1000" });
    await assert.rejects(connectSsh(silent, { timeouts: { handshakeMs: 300 } }), { code: "timeout" });
  });
});
