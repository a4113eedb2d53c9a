import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, beforeEach, suite, test } from "node:test";
import { archiveId } from "../../../src/ship/compressed-executable.ts";
import type { PushProgress } from "../../../src/ship/push.ts";
import { type RemoteServe, type StartServeOptions, startServe } from "../../../src/ship/start-serve.ts";
import { connectSsh } from "../../../src/ssh/connect.ts";
import type { SshConnection } from "../../../src/ssh/transport.ts";
import { FINAL_NAME, type FixtureExecutable, fixtureExecutable, installed } from "../../unit/ship/fixture-executable.ts";
import { take } from "../../unit/ship/take.ts";
import { noSshd, startSshd, type TestSshd } from "../../unit/ssh/start-sshd.ts";

const HERE = `${process.platform === "darwin" ? "Darwin" : "Linux"} ${process.arch === "x64" ? "x86_64" : "aarch64"}`;

suite("startServe against a real sshd", { skip: noSshd }, () => {
  let sshd: TestSshd;
  let connection: SshConnection;
  let fixture: FixtureExecutable;

  before(async () => {
    sshd = await startSshd({ hostKeys: ["ed25519"] });
    connection = await connectSsh(sshd.target());
    fixture = fixtureExecutable();
  });
  beforeEach(() => {
    for (const name of fs.readdirSync(sshd.home)) fs.rmSync(path.join(sshd.home, name), { recursive: true });
  });
  after(async () => {
    connection.close();
    await connection.closed;
    fixture[Symbol.dispose]();
    await sshd[Symbol.asyncDispose]();
  });

  const start = (changes: Partial<StartServeOptions> = {}): Promise<RemoteServe> => startServe(connection, { ...fixture, ...changes });

  test("S4 what the login shell prints before is skipped and kept: text, colours, JSON, no last newline", async () => {
    fs.writeFileSync(path.join(sshd.home, ".bashrc"), `echo welcome; printf '\\033[31m{"op":"hello"}\\033[0m'; echo oops >&2\n`);
    const serve = await start();
    assert.equal(serve.noise, `welcome\n\u001b[31m{"op":"hello"}\u001b[0m`);
    assert.equal(await take(serve, 11), "first bytes");
    await serve.close();
  });

  test("S4 half a megabyte of noise is skipped, more than one is an error that quotes it", async () => {
    const rc = path.join(sshd.home, ".bashrc");
    fs.writeFileSync(rc, "head -c 524288 /dev/zero | tr '\\0' x\n");
    const serve = await start();
    assert.equal(await take(serve, 11), "first bytes");
    await serve.close();
    fs.writeFileSync(rc, "echo 'read me'; head -c 2000000 /dev/zero | tr '\\0' x\n");
    await assert.rejects(start(), { code: "remote_failed", message: /1048576 bytes.*read me/ });
  });

  test("S4 a login shell that ends by itself is quoted", async () => {
    fs.writeFileSync(path.join(sshd.home, ".bashrc"), "echo 'This account is currently not available.'; exit 1\n");
    await assert.rejects(start(), { code: "remote_failed", message: /exit 1.*This account is currently not available/ });
  });

  test("S10 another platform is refused before anything is sent", async () => {
    using foreign = fixtureExecutable({ platform: "darwin-arm64" });
    const sent = (): never => assert.fail("nothing is sent");
    await assert.rejects(start({ ...foreign, onProgress: sent }), { code: "platform_unsupported", message: /linux-\w+.*darwin-arm64/ });
    assert.equal(installed(sshd), undefined);
  });

  test("S10 another processor, system, or a C library that is too old: each refused before anything is sent", async () => {
    const cases: [string, string, RegExp][] = [
      ["Linux riscv64", "glibc 2.36", /is linux-riscv64; this executable is for/],
      ["FreeBSD amd64", "", /is FreeBSD-x64; /],
      [`${HERE} `, "glibc 2.17", /has glibc 2\.17; ccm needs glibc 2\.28/],
      [`${HERE} `, "musl 1.2", /has musl instead of the GNU C library/],
    ];
    const fake = path.join(sshd.home, "fake");
    fs.mkdirSync(fake);
    fs.writeFileSync(path.join(sshd.home, ".bashrc"), `PATH=${fake}:$PATH; echo welcome\n`);
    for (const [system, library, message] of cases) {
      const [name, machine] = system.split(" ");
      fs.writeFileSync(path.join(fake, "uname"), `#!/bin/sh\n[ $1 = -s ] && echo ${name} || echo ${machine}\n`, { mode: 0o755 });
      fs.writeFileSync(path.join(fake, "getconf"), `#!/bin/sh\necho ${library}\n`, { mode: 0o755 });
      await assert.rejects(start({ onProgress: () => assert.fail("nothing is sent") }), { code: "platform_unsupported", message }, system);
    }
  });

  test("S10 an executable for that platform is chosen where there is one, and found again without being sent", async () => {
    fs.mkdirSync(path.join(sshd.home, "fake"));
    fs.writeFileSync(path.join(sshd.home, ".bashrc"), `PATH=${path.join(sshd.home, "fake")}:$PATH\n`);
    fs.writeFileSync(path.join(sshd.home, "fake", "uname"), "#!/bin/sh\n[ $1 = -s ] && echo Linux || echo aarch64\n", { mode: 0o755 });
    using other = fixtureExecutable({ platform: "linux-arm64", buildId: "a4m64" });
    using own = fixtureExecutable({ platform: "linux-x64", buildId: "8664" });
    const findArtefact = async (platform: string) => (platform === "linux-arm64" ? other.executable : undefined);
    for (const pushed of [true, false]) {
      const serve = await start({ ...own, findArtefact });
      await serve.close();
      assert.deepEqual([serve.pushed, installed(sshd)], [pushed, ["ccm-1.2.3-a4m64"]]);
    }
    await assert.rejects(start(own), { code: "platform_unsupported", message: /is linux-arm64/, hint: /ccm-linux-arm64 .*artefacts/ });
  });

  /** Puts a script of ours before a command of the other machine. */
  const shadow = (command: string, script: string): void => {
    const fake = path.join(sshd.home, "fake");
    fs.mkdirSync(fake, { recursive: true });
    fs.writeFileSync(path.join(sshd.home, ".bashrc"), `PATH=${fake}:$PATH\n`);
    fs.writeFileSync(path.join(fake, command), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };

  const installByHand = (build: string, protocol = "1"): void => {
    using there = fixtureExecutable({ buildId: build });
    const file = path.join(sshd.home, ".local", "bin", "ccm");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const line = `ccm 1.2.3 (commit abc, build ${build}, link protocol ${protocol}, node 26.10.0 linux-x64)`;
    const script = fs.readFileSync(there.executable.file, "utf8");
    fs.writeFileSync(file, script.replace("case", `if [ "$1" = --version ]; then echo "${line}"; exit; fi\ncase`), { mode: 0o755 });
  };

  test("the same build, installed over there by somebody, is used and not sent, and an update of it changes nothing here", async () => {
    installByHand("0123abcd");
    const serve = await start({ onProgress: () => assert.fail("nothing is sent") });
    await serve.close();
    assert.deepEqual([serve.pushed, installed(sshd)], [false, [FINAL_NAME]]);
    const file = path.join(sshd.home, ".local", "bin", "ccm");
    fs.writeFileSync(`${file}.new`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    fs.renameSync(`${file}.new`, file);
    await (await start({ onProgress: () => assert.fail("nothing is sent") })).close();
  });

  test("another build that is installed there is not used in place of this one", async () => {
    installByHand("0ther");
    const serve = await start();
    await serve.close();
    assert.deepEqual([serve.pushed, installed(sshd)], [true, [FINAL_NAME]]);
  });

  test("S10 on another platform what is installed there is used if it speaks our protocol, without being sent", async () => {
    using foreign = fixtureExecutable({ platform: "darwin-arm64" });
    installByHand("0ther", "1-3");
    for (const _ of [1, 2]) {
      const serve = await start({ ...foreign, onProgress: () => assert.fail("nothing is sent") });
      await serve.close();
      assert.deepEqual([serve.pushed, installed(sshd)], [false, ["ccm-1.2.3-0ther"]]);
    }
    installByHand("newer", "7-9");
    fs.rmSync(path.join(sshd.home, ".cache"), { recursive: true });
    await assert.rejects(start(foreign), { code: "platform_unsupported" });
  });

  test("S10 where an executable for that platform could not be fetched, the reason is told", async () => {
    using foreign = fixtureExecutable({ platform: "darwin-arm64" });
    const releases = path.join(sshd.home, "no-releases");
    await assert.rejects(start({ ...foreign, releases }), { code: "platform_unsupported", message: /there is no release 1\.2\.3 at/ });
  });

  test("a library that is missing is named before anything is sent, and what has it", async () => {
    shadow("ldconfig", "echo libc.so.6 libstdc++.so.6");
    await assert.rejects(start(), { code: "platform_unsupported", message: /has no libatomic\.so\.1/, hint: /install libatomic1/ });
    assert.equal(installed(sshd), undefined);
  });

  const noexec = fs.existsSync("/proc/mounts") && /^\S+ (\S+) \S+ \S*\bnoexec\b/m.exec(fs.readFileSync("/proc/mounts", "utf8"))?.[1];

  test("a disk on which no program may run is named before anything is sent", {
    skip: !noexec && "no disk here is mounted noexec",
  }, async () => {
    shadow("df", `echo x; echo disk 1 1 9999999 1% ${noexec}`);
    const message = new RegExp(`: ${noexec} is mounted noexec there`);
    await assert.rejects(start(), { code: "push_failed", message, hint: /XDG_CACHE_HOME/ });
    assert.equal(installed(sshd), undefined);
  });

  test("S8 a cache directory that cannot be made: its reason, nothing left", async () => {
    fs.writeFileSync(path.join(sshd.home, ".cache"), "a file");
    await assert.rejects(start(), { code: "push_failed", message: /Not a directory|File exists/ });
  });

  test("an executable that cannot check itself is not installed, and pushing is not tried for ever", async () => {
    using broken = fixtureExecutable({ script: "#!/no/such/interpreter\n" });
    await assert.rejects(start(broken), { code: "push_failed", message: /does not start there/ });
    assert.deepEqual(installed(sshd), []);
  });

  test("a damaged archive is found out over there and made anew here", async () => {
    using damaged = fixtureExecutable();
    using other = fixtureExecutable({ script: "#!/bin/sh\necho 'what arrived is damaged' >&2; exit 40\n" });
    await assert.rejects(start({ ...damaged, executable: { ...damaged.executable, file: other.executable.file } }), {
      code: "push_failed",
      message: /damaged/,
    });
    assert.deepEqual(installed(sshd), []);
    const serve = await start(damaged);
    assert.equal(serve.pushed, true);
    await serve.close();
  });

  test("S9 the connection cut in the middle of the upload: nothing under the final name, and the next try goes on from there", async () => {
    using large = fixtureExecutable({ paddingBytes: 24 * 1024 * 1024 });
    const doomed = await connectSsh(sshd.target());
    const cut = startServe(doomed, {
      ...large,
      onProgress: ({ sentBytes, totalBytes }) => {
        if (sentBytes > totalBytes / 2) doomed.close();
      },
    });
    await assert.rejects(cut, { code: "push_failed", message: /ended during the upload/ });
    await until(() => installed(sshd)?.length === 1 && installed(sshd)?.[0]?.startsWith(".part-") === true);
    const progress: PushProgress[] = [];
    const serve = await start({ ...large, onProgress: (each) => progress.push(each) });
    assert.deepEqual([serve.pushed, installed(sshd)], [true, [FINAL_NAME]]);
    const [first, last] = [progress[0], progress.at(-1)];
    assert.ok(first && last && first.sentBytes > last.totalBytes / 4, JSON.stringify([first, last]));
    assert.equal(last.sentBytes, last.totalBytes);
    await serve.close();
  });

  test("S9 a part that is not what we would send is not built upon", async () => {
    using large = fixtureExecutable({ paddingBytes: 1024 * 1024 });
    const bin = path.join(sshd.home, ".cache", "claude-code-message", "bin");
    fs.mkdirSync(bin, { recursive: true });
    for (const packing of ["gzip", "zstd"]) fs.writeFileSync(path.join(bin, `.part-${archiveId(large.executable)}-${packing}`), "damaged");
    const serve = await start(large);
    assert.equal(serve.pushed, true);
    await serve.close();
  });

  test("an upgrade sends what differs from the version that is there, and leaves that alone", async () => {
    using old = fixtureExecutable({ paddingBytes: 8 * 1024 * 1024 });
    await (await start(old)).close();
    using next = fixtureExecutable({ like: old, buildId: "4567" });
    const progress: PushProgress[] = [];
    const serve = await start({ ...next, onProgress: (each) => progress.push(each) });
    await serve.close();
    assert.deepEqual(installed(sshd), [FINAL_NAME, "ccm-1.2.3-4567"]);
    const sent = fs.readFileSync(path.join(sshd.home, ".cache", "claude-code-message", "bin", "ccm-1.2.3-4567"));
    assert.ok(sent.equals(fs.readFileSync(next.executable.file)));
    assert.ok((progress.at(-1)?.totalBytes ?? Number.POSITIVE_INFINITY) < 200_000, JSON.stringify(progress.at(-1)));
  });

  test("a version that cannot do that is passed over: the whole is sent", async () => {
    const script = "#!/bin/sh\nif [ $2 = patch ]; then echo no such word >&2; exit 2; fi\n";
    using old = fixtureExecutable();
    await (await start(old)).close();
    const there = path.join(sshd.home, ".cache", "claude-code-message", "bin", FINAL_NAME);
    fs.writeFileSync(there, script);
    using next = fixtureExecutable({ buildId: "4567" });
    const serve = await start(next);
    await serve.close();
    assert.deepEqual([serve.pushed, installed(sshd)], [true, [FINAL_NAME, "ccm-1.2.3-4567"]]);
  });

  test("a serve that never says its nonce: a deadline, and no process left", async () => {
    using mute = fixtureExecutable({
      script: `#!/bin/sh\nif [ $1 = settle ]; then mv "$0" "$(dirname "$0")/$3"; exit; fi\necho thinking >&2; cat\n`,
    });
    await assert.rejects(start({ ...mute, timeouts: { nonceMs: 1_000 } }), { code: "timeout", message: /said: thinking/ });
  });

  test("given up by its signal", async () => {
    const reason = new Error("enough");
    await assert.rejects(start({ signal: AbortSignal.abort(reason) }), reason);
  });
});

async function until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    assert.ok(Date.now() < end, "not within the time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
