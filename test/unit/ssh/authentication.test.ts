import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { after, before, suite, test } from "node:test";
import { connectSsh } from "../../../src/ssh/connect.ts";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";
import { makeKey, noSshd, startSshd, type TestSshd } from "./start-sshd.ts";

suite("S3 keys and agents against a real sshd", { skip: noSshd }, () => {
  let sshd: TestSshd;
  const file = (name: string): string => path.join(sshd.directory, name);

  before(async () => {
    sshd = await startSshd({ config: ["MaxAuthTries 3"] });
    makeKey(file("locked"), "ed25519", "secret");
    sshd.authorize(file("locked.pub"));
    makeKey(file("rsa"), "rsa");
    sshd.authorize(file("rsa.pub"));
    makeKey(file("stranger"), "ed25519");
  });
  after(() => sshd[Symbol.asyncDispose]());

  const connects = async (changes: Partial<SshTarget>, env: NodeJS.ProcessEnv = {}): Promise<void> => {
    const connection = await connectSsh(sshd.target(changes), { env });
    connection.close();
    await connection.closed;
  };

  test("a key file, also behind one that is not let in, one that is missing and one that is no key", async () => {
    fs.writeFileSync(file("rubbish"), "not a key\n", { mode: 0o600 });
    await connects({ identityFiles: [file("missing"), file("rubbish"), file("stranger"), sshd.identity] });
  });

  test("an RSA key signs with SHA-2", async () => {
    await connects({ identityFiles: [file("rsa")] });
  });

  test("no key at all, no SSH_AUTH_SOCK: says that there was nothing to offer", async () => {
    await assert.rejects(connects({ identityFiles: [], identityAgent: undefined }), {
      code: "authentication_failed",
      message: /there was no key to offer/,
    });
  });

  test("a key that nobody lets in is named by its fingerprint and file", async () => {
    await assert.rejects(connects({ identityFiles: [file("stranger")] }), {
      code: "authentication_failed",
      message: /refused ED25519 SHA256:\S+ \(.*stranger\)/,
    });
  });

  test("a key with a passphrase and no agent: says so, and what to do in a service", async () => {
    await assert.rejects(connects({ identityFiles: [file("locked")], identityAgent: undefined }), {
      code: "authentication_failed",
      message: /locked \(has a passphrase, and no agent holds it\)/,
      hint: /SSH_AUTH_SOCK.*ssh-add .*locked/,
    });
  });

  test("a key that others can read is passed over, as with ssh", async () => {
    fs.copyFileSync(sshd.identity, file("open"));
    fs.chmodSync(file("open"), 0o644);
    await assert.rejects(connects({ identityFiles: [file("open")] }), { code: "authentication_failed", message: /others can read it/ });
  });

  test("an agent that is gone is named, and key files still work", async () => {
    const env = { SSH_AUTH_SOCK: file("no-agent") };
    await connects({ identityAgent: undefined }, env);
    await assert.rejects(connects({ identityAgent: undefined, identityFiles: [] }, env), {
      code: "authentication_failed",
      message: /no-agent/,
    });
  });

  test("an agent with ten keys and MaxAuthTries 3: the configured key goes first, though it is locked here", async () => {
    await using agent = await startAgent(file("agent"));
    for (let number = 0; number < 10; number++) {
      makeKey(file(`many_${number}`), "ed25519");
      agent.add(file(`many_${number}`));
    }
    const env = { SSH_AUTH_SOCK: agent.socket };
    await assert.rejects(connects({ identityFiles: [], identityAgent: undefined }, env), {
      code: "authentication_failed",
      message: /Too many authentication failures/,
      hint: /IdentitiesOnly yes/,
    });
    execFileSync("ssh-keygen", ["-q", "-p", "-P", "secret", "-N", "", "-f", file("locked")]);
    agent.add(file("locked"));
    execFileSync("ssh-keygen", ["-q", "-p", "-P", "", "-N", "secret", "-f", file("locked")]);
    await connects({ identityFiles: [file("locked")], identityAgent: undefined }, env);
    // The public half inside the private file is enough to find it in the agent.
    fs.rmSync(file("locked.pub"));
    await connects({ identityFiles: [file("locked")], identityAgent: agent.socket, identitiesOnly: true });
    await assert.rejects(connects({ identityFiles: [], identityAgent: agent.socket, identitiesOnly: true }), {
      message: /no key to offer/,
    });
  });
});

suite("S3 a key for which a person is asked", { skip: noSshd }, () => {
  test("an agent that waits for a person is named with the key, instead of a slow server", async () => {
    await using sshd = await startSshd();
    const at = (name: string): string => path.join(sshd.directory, name);
    const answer = at("answer");
    execFileSync("mkfifo", [answer]);
    fs.writeFileSync(at("askpass"), `#!/bin/sh\nread -r line < ${answer}\n`, { mode: 0o755 });
    const env = { SSH_ASKPASS: at("askpass"), SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":9" };
    await using agent = await startAgent(at("agent"), env);
    agent.add("-c", sshd.identity);
    const target = sshd.target({ identityFiles: [], identityAgent: agent.socket });
    await assert.rejects(connectSsh(target, { env: {}, timeouts: { handshakeMs: 1_500 } }), {
      code: "timeout",
      message: /the ssh agent has not signed for \S+ with ED25519 SHA256:\S+ within 1\.5 s/,
      hint: /touch or a confirmation/,
    });
    fs.writeFileSync(answer, "no\n");
  });
});

/** A real ssh-agent in the foreground. */
async function startAgent(
  socket: string,
  env: NodeJS.ProcessEnv = {},
): Promise<AsyncDisposable & { socket: string; add(...words: string[]): void }> {
  const child = spawn("ssh-agent", ["-D", "-a", socket], { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
  await once(child.stdout, "data", { signal: AbortSignal.timeout(10_000) });
  return {
    socket,
    add: (...words) => execFileSync("ssh-add", ["-q", ...words], { env: { ...process.env, SSH_AUTH_SOCK: socket } }),
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    },
  };
}
