import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { executableAt } from "../../../src/ship/own-executable.ts";
import { executableName, installCommand, probeCommand, serveCommand } from "../../../src/ship/remote-path.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-shells-"));
after(() => fs.rmSync(directory, { recursive: true }));

const nonce = "0123456789abcdef0123456789abcdef";
const name = "ccm-1.2.3-abc";
const script = `#!/bin/sh\ncase "$1" in serve) echo "ccm-$3" ;; settle) mv "$0" "$(dirname "$0")/$3" ;; esac\n`;
const sha256 = createHash("sha256").update(script).digest("hex");

const archive = "fedcba9876543210";
const packed = gzipSync(script);
const installation = { name, sha256, nonce, archive, packing: "gzip", fromByte: 0 } as const;

for (const shell of ["bash", "dash", "zsh", "fish", "tcsh", "ksh", "busybox"]) {
  const missing = spawnSync(shell, ["-c", "true"]).error ? `${shell} is not installed` : false;

  suite(`S4 login shell ${shell}`, { skip: missing }, () => {
    for (const [which, folder] of [
      ["an ordinary home", "home"],
      ["S8 a home with spaces, quotes and non-ASCII", `a "b" ü $HOME 作业`],
    ] as const) {
      test(`finds nothing, installs, then serves: ${which}`, () => {
        const home = path.join(directory, shell, folder);
        fs.mkdirSync(home, { recursive: true });
        const run = (command: string, input: string | Buffer = ""): ReturnType<typeof spawnSync> => {
          const words = shell === "busybox" ? ["sh", "-c", command] : ["-c", command];
          return spawnSync(shell, words, { input, env: { ...process.env, HOME: home, XDG_CACHE_HOME: "" }, timeout: 20_000 });
        };
        assert.equal(run(serveCommand(name, nonce)).status, 127);
        assert.match(String(run(probeCommand(nonce, archive)).stdout), new RegExp(`^${nonce} (Linux|Darwin) \\w+`, "m"));
        const cut = run(installCommand(installation), packed.subarray(0, 40));
        assert.notEqual(cut.status, 0);
        assert.deepEqual(fs.readdirSync(path.join(home, ".cache/claude-code-message/bin")), [`.part-${archive}-gzip`]);
        assert.match(String(run(probeCommand(nonce, archive)).stdout), new RegExp(`^${nonce} part gzip \\d+ 40$`, "m"));
        assert.equal(run(installCommand({ ...installation, fromByte: 40 }), packed.subarray(40)).status, 0);
        assert.deepEqual(fs.readdirSync(path.join(home, ".cache/claude-code-message/bin")), [name]);
        assert.match(String(run(probeCommand(nonce, archive)).stdout), new RegExp(`^${nonce} have ${name}$`, "m"));
        assert.equal(String(run(serveCommand(name, nonce)).stdout), `ccm-${nonce}\n`);
      });
    }
  });
}

test("XDG_CACHE_HOME counts where it is absolute; private whatever the umask", () => {
  const cache = path.join(directory, "cache");
  const env = { PATH: process.env.PATH, HOME: directory, XDG_CACHE_HOME: cache };
  execFileSync("/bin/sh", ["-c", `umask 000; ${installCommand(installation)}`], { input: packed, env });
  const installed = path.join(cache, "claude-code-message/bin", name);
  assert.deepEqual([fs.statSync(installed).mode & 0o777, fs.statSync(path.dirname(installed)).mode & 0o777], [0o700, 0o700]);
  const relative = spawnSync("/bin/sh", ["-c", serveCommand(name, nonce)], { env: { ...env, XDG_CACHE_HOME: "cache" }, cwd: directory });
  assert.equal(relative.status, 127);
});

test("what a crash left behind an hour ago is swept, a younger upload is left alone", () => {
  const home = path.join(directory, "swept");
  const bin = path.join(home, ".cache/claude-code-message/bin");
  fs.mkdirSync(bin, { recursive: true });
  for (const [file, ageSeconds] of [
    ["old", 7200],
    ["young", 60],
  ] as const) {
    fs.writeFileSync(path.join(bin, `.incoming-${file}`), "");
    fs.utimesSync(path.join(bin, `.incoming-${file}`), new Date(), new Date(Date.now() - ageSeconds * 1000));
  }
  execFileSync("/bin/sh", ["-c", installCommand(installation)], {
    input: packed,
    env: { PATH: process.env.PATH, HOME: home },
  });
  assert.deepEqual(fs.readdirSync(bin).sort(), [".incoming-young", name]);
});

test("S5 no word of ours can become shell syntax", () => {
  const executable = (version: string) => executableAt("/x", { version, buildId: "1", platform: "linux-x64" });
  for (const version of ["1; rm", "$(id)", "../..", "a b", "a'b", "a\nb"])
    assert.throws(() => executableName(executable(version)), /not a name/);
  assert.throws(() => serveCommand(name, "nonce; id"), /not a word/);
  assert.equal(executableName(executable("1.2.3-rc.1+x")), "ccm-1.2.3-rc.1+x-1");
});
