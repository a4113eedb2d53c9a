import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import type { PushReport } from "./fixtures/ssh-push.ts";
import { bundleFixture } from "./harness/bundle-fixture.ts";
import { ccm, ccmExecutable, ccmFailing, waitMirrors, whyNoCcm } from "./harness/ccm.ts";
import type { Host } from "./harness/host.ts";
import { createNetwork, type Network } from "./harness/network.ts";
import type { CommandResult } from "./harness/run-command.ts";
import { StandInSession } from "./harness/stand-in-session.ts";
import { waitFor } from "./harness/wait-for.ts";

const skip = whyNoCcm();
const timeout = 240_000;
const BIN = ".cache/claude-code-message/bin";
/** A small machine that is busy must not fail what a person would call fast. */
const SLACK_MS = 400;

const shells = ["dash", "bash", "zsh", "fish", "tcsh"].flatMap((name) => {
  const file = ["/bin", "/usr/bin"].map((folder) => path.join(folder, name)).find((one) => fs.existsSync(one));
  return file === undefined ? [] : [{ name, file }];
});
const dropbear = ["/usr/sbin/dropbear", "/usr/bin/dropbear"].find((file) => fs.existsSync(file));

test("S4 every login shell with noise in its start-up files: paired all at once, each with a line of its own", {
  skip,
  timeout,
}, async () => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  const hosts = await Promise.all(shells.map(({ name, file }) => network.host(name, { loginShell: file })));
  for (const host of hosts) {
    for (const rc of [".bashrc", ".profile", ".zshenv", ".cshrc", ".config/fish/config.fish"])
      host.putFile(rc, "echo 'welcome {\"op\":1}'\n");
    await StandInSession.start(network, host, "api");
  }
  laptop.installCcm(ccmExecutable);
  const { code, stdout, stderr } = await laptop.exec("ccm", ["pair", ...hosts.map(({ name }) => name)], { timeoutMs: 180_000 });
  assert.equal(code, 0, stderr);
  for (const { name } of hosts) {
    assert.match(stdout, new RegExp(`^linked to ${name} `, "m"));
    for (const state of ["connecting", "sending ccm to it, .*", "linking", "linked"])
      assert.match(stderr, new RegExp(`^${name}: ${state}$`, "m"));
  }
  await waitMirrors(
    laptop,
    hosts.map(({ name }) => `${name}-api`),
    10_000,
  );
});

test("S7 dropbear, and a server without sftp: linked", { skip: skip || (!dropbear && "there is no dropbear"), timeout }, async () => {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server", { sshd: false })]);
  const convert = "dropbearconvert openssh dropbear /etc/ccm-host-key /etc/ccm-dropbear-key";
  assert.equal((await server.exec("/bin/sh", ["-c", convert], { user: "root" })).code, 0);
  server.spawn(dropbear ?? "", ["-F", "-E", "-r", "/etc/ccm-dropbear-key", "-p", "22"], { user: "root" });
  await StandInSession.start(network, server, "api");
  laptop.installCcm(ccmExecutable);
  await waitFor(async () => (await laptop.exec("ssh", ["-o", "BatchMode=yes", "server", "true"])).code === 0, {
    what: "dropbear",
    deadlineMs: 10_000,
  });
  await pair(laptop, "server");
  await waitMirrors(laptop, ["server-api"]);
  await ccm(laptop, "unpair", "server");
  await pair(laptop, "server", "--transport", "ssh");
  await waitMirrors(laptop, ["server-api"]);
  assert.match(
    await ccm(laptop, "doctor").catch((error) => String(error)),
    /ssh transport: server: .* by ssh, because it is set for this peer/,
  );
});

test("S4 S7 an account that runs no commands is said to be one, in its own words; one that fails keeps no other from its link", {
  skip,
  timeout,
}, async () => {
  await using network = await createNetwork();
  const forced = ["ForceCommand echo only backups here"];
  const [laptop, closed, forcing, fine] = await Promise.all([
    network.host("laptop"),
    network.host("closed", { loginShell: "/usr/sbin/nologin" }),
    network.host("forcing", { sshdOptions: forced }),
    network.host("fine"),
  ]);
  laptop.installCcm(ccmExecutable);
  assert.match(await ccmFailing(laptop, "remote_failed", "pair", "closed"), /This account is currently not available/);
  assert.match(await ccmFailing(laptop, "remote_failed", "pair", "forcing"), /only backups here/);
  const { code, stdout, stderr } = await laptop.exec("ccm", ["pair", "closed", "fine", "forcing", "--json"], { timeoutMs: 120_000 });
  const { machines } = JSON.parse(stdout);
  assert.deepEqual([code, machines[0].error.code, machines[1].state, machines[2].host], [42, "remote_failed", "linked", "forcing"], stderr);
  for (const host of [closed, forcing]) assert.equal(host.exists(BIN), false);
  assert.equal(fine.list(BIN).length, 1);
});

test("S1 a new host is paired by the fingerprint that a person has compared, and by no other", { skip, timeout }, async () => {
  await using network = await createNetwork();
  const [stranger, server] = await Promise.all([network.host("stranger", { knownHosts: false }), network.host("server")]);
  stranger.installCcm(ccmExecutable);
  const { stdout } = await server.exec("ssh-keygen", ["-lf", "/etc/ccm-host-key.pub"]);
  const [fingerprint = ""] = /SHA256:\S+/.exec(stdout) ?? [];
  const refused = await ccmFailing(stranger, "host_key_unknown", "pair", "server");
  assert.ok(refused.includes(`--accept-new-host-key ${fingerprint}`), refused);
  await ccmFailing(stranger, "host_key_unknown", "pair", "server", "--accept-new-host-key", `SHA256:${"x".repeat(43)}`);
  await pair(stranger, "server", "--accept-new-host-key", fingerprint);
  assert.equal((await stranger.exec("ssh", ["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "server", "true"])).code, 0);
});

test("a first push is under 45 MB and about as fast as scp; an upgrade sends under 1.5 MB, a reconnect nothing", {
  skip,
  timeout,
}, async (context) => {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  const push = await pusher(network, laptop);
  const first = await push(ccmExecutable);
  assert.ok(first.pushed && first.sentBytes < 45_000_000, JSON.stringify(first));
  const scpMs = await scp(laptop, first.sentBytes);
  // What is in the cache now is sent as it is, which is what scp does.
  const [name = ""] = server.list(BIN);
  fs.rmSync(server.path(`${BIN}/${name}`));
  const second = await push(ccmExecutable);
  const reconnect = await push(ccmExecutable);
  const sshMs = await timed(() => laptop.exec("ssh", ["-o", "BatchMode=yes", "server", "true"]));
  const next = otherBuild(network);
  const upgrade = await push(next);
  context.diagnostic(JSON.stringify({ scpMs, sshMs, first, second, upgrade, reconnect }));
  assert.equal(second.sentBytes, first.sentBytes);
  assert.ok(second.transferMs < 1.2 * scpMs + SLACK_MS, JSON.stringify({ scpMs, second }));
  assert.deepEqual([reconnect.pushed, reconnect.sentBytes], [false, 0]);
  // Half a second, and as much more as this machine is slow just now.
  assert.ok(reconnect.allMs < 500 + 2 * sshMs, JSON.stringify({ sshMs, reconnect }));
  assert.ok(upgrade.pushed && upgrade.sentBytes < 1_500_000, JSON.stringify(upgrade));
  const built = server.list(BIN).find((one) => one !== name) ?? "";
  assert.ok(fs.readFileSync(server.path(`${BIN}/${built}`)).equals(fs.readFileSync(next)));
});

test("S9 the cable pulled in the middle of an upload: nothing under the final name, the next try goes on", { skip, timeout }, async () => {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  const push = await pusher(network, laptop);
  const attempt = push(ccmExecutable).catch((error) => error);
  const incoming = (): number =>
    server.list(BIN).reduce((sum, name) => sum + (name.endsWith(".packed") ? fs.statSync(server.path(`${BIN}/${name}`)).size : 0), 0);
  await waitFor(() => incoming() > 3_000_000, { what: "the beginning of the upload", deadlineMs: 60_000 });
  for (const pid of server.sshdPids.slice(1)) await server.kill(pid).catch(() => {});
  assert.ok((await attempt) instanceof Error);
  await waitFor(() => server.list(BIN).length === 1 && server.list(BIN)[0]?.startsWith(".part-"), {
    what: "the part",
    otherwise: () => server.list(BIN).join(),
  });
  const again = await push(ccmExecutable);
  assert.ok(again.pushed);
  assert.deepEqual(server.list(BIN).length, 1);
  assert.match(server.list(BIN)[0] ?? "", /^ccm-/);
});

test("S8 a home on a disk where no program may run: said before anything is sent; another cache directory helps", {
  skip,
  timeout,
}, async () => {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  laptop.installCcm(ccmExecutable);
  const mount = async (...words: string[]) => assert.equal((await server.exec("mount", words, { user: "root" })).code, 0);
  server.putFile(".cache/keep", "");
  await mount("-t", "tmpfs", "-o", "noexec,mode=777", "tmpfs", `${server.home}/.cache`);
  assert.match(await ccmFailing(laptop, "push_failed", "pair", "server"), /\.cache is mounted noexec there/);
  assert.deepEqual(server.list(BIN), []);
  await mount("-o", "remount,exec", `${server.home}/.cache`);
  await pair(laptop, "server");
});

test("a host on which the same ccm was rolled out is paired without sending it", { skip, timeout }, async (context) => {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  server.installCcm(ccmExecutable);
  const first = await (await pusher(network, laptop))(ccmExecutable);
  context.diagnostic(JSON.stringify(first));
  assert.deepEqual([first.pushed, first.sentBytes], [false, 0]);
  assert.equal(server.list(BIN).length, 1);
});

/** Sends the executable, which takes its time on a busy machine and through a small window. */
async function pair(host: Host, ...words: string[]): Promise<void> {
  const { code, stderr } = await host.exec("ccm", ["pair", ...words], { timeoutMs: 120_000 });
  assert.equal(code, 0, stderr);
}

/** Starts `serve` of an executable on `server`, from the laptop, and tells what it took. */
async function pusher(network: Network, laptop: Host): Promise<(file: string) => Promise<PushReport>> {
  const program = await bundleFixture(network, "ssh-push");
  return async (file) => {
    const [, version = "", buildId = ""] = /^ccm (\S+) .*build (\w+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8" })) ?? [];
    const shared = network.share(file, `executable-${buildId}`);
    const { code, stdout, stderr } = await laptop.exec(network.node, [program, "server", shared, version, buildId], { timeoutMs: 120_000 });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
}

/** How long scp takes for what the push has left in its cache, which is as many bytes. */
async function scp(laptop: Host, bytes: number): Promise<number> {
  const directory = ".cache/claude-code-message/ship";
  const [archive = ""] = laptop.list(directory);
  assert.equal(fs.statSync(laptop.path(`${directory}/${archive}`)).size, bytes);
  return await timed(() => laptop.exec("scp", ["-q", `${directory}/${archive}`, "server:archive"], { timeoutMs: 60_000 }));
}

async function timed(run: () => Promise<CommandResult>): Promise<number> {
  const startedMs = performance.now();
  const { code, stderr } = await run();
  assert.equal(code, 0, stderr);
  return Math.round(performance.now() - startedMs);
}

/** The same program under another build id, which is in both of its bundles. */
function otherBuild(network: Network): string {
  const content = fs.readFileSync(ccmExecutable);
  const [, buildId = ""] = /build (\w+)/.exec(execFileSync(ccmExecutable, ["--version"], { encoding: "utf8" })) ?? [];
  const other = Buffer.from(buildId.split("").reverse().join(""));
  for (let at = content.indexOf(buildId); at !== -1; at = content.indexOf(buildId, at + 1)) other.copy(content, at);
  const file = path.join(network.directory, "other-build");
  fs.writeFileSync(file, content, { mode: 0o755 });
  return file;
}
