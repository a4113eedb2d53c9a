import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { whyNoCcm } from "../hosts/harness/ccm.ts";
import { createNetwork, type Network } from "../hosts/harness/network.ts";
import { mirrorNames, registryRemains } from "../hosts/harness/registry-files.ts";
import { StandInSession } from "../hosts/harness/stand-in-session.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { noRelease } from "../support/release-directory.ts";
import { flipByte } from "../support/small-release.ts";
import { BareHost, serveReleases } from "./harness/bare-host.ts";
import { archive, makeSite, NEXT_VERSION, version } from "./harness/releases.ts";

const skip = whyNoCcm() || noRelease;
const timeout = 240_000;

async function served(network: Network) {
  const site = makeSite(network);
  return { site, script: path.join(site, "latest", "download", "install.sh"), ...(await serveReleases(network, site)) };
}

for (const fetcher of ["curl", "wget"] as const) {
  test(`with nothing but sh, tar and ${fetcher}: install, init, pair, message, update, uninstall, and nothing is left`, {
    skip,
    timeout,
  }, async () => {
    await using network = await createNetwork();
    const { address, certificate, script } = await served(network);
    const server = await network.host("server");
    const api = await StandInSession.start(network, server, "api");
    const laptop = await BareHost.on(await network.host("laptop"), fetcher, certificate);
    const before = await laptop.files();

    const installed = await laptop.run("sh", script, "--from", address, "--version", version);
    assert.match(installed, new RegExp(`^installed ccm ${version} `));
    await laptop.run("ccm", "init", "--label", "laptop");
    await laptop.run("ccm", "pair", "server");
    await waitFor(() => mirrorNames(laptop.host).includes("server-api"), { what: "the other machine's session", deadlineMs: 10_000 });
    await laptop.run("ccm", "send", "server-api", "before the update");
    await api.waitMessage("before the update");

    const report = JSON.parse(await laptop.run("ccm", "update", "--from", address, "--json"));
    assert.deepEqual(report, { installed: NEXT_VERSION, available: NEXT_VERSION, changed: true, daemonRestarted: true });
    assert.match(await laptop.run("ccm", "--version"), new RegExp(`^ccm ${NEXT_VERSION} `));
    await waitFor(() => mirrorNames(laptop.host).includes("server-api"), { what: "it again", deadlineMs: 20_000 });
    await laptop.run("ccm", "send", "server-api", "after the update");
    await api.waitMessage("after the update");
    assert.match(await laptop.run("ccm", "update", "--rollback"), new RegExp(`^installed ccm ${version}, and restarted`));

    await laptop.run("sh", script, "--uninstall", "--purge");
    await waitFor(() => laptop.host.strayProcesses().length === 0, {
      what: "every process to be gone",
      otherwise: () => JSON.stringify(laptop.host.strayProcesses()),
    });
    assert.deepEqual(registryRemains(laptop.host), []);
    const added = (await laptop.files()).filter((file) => !before.includes(file));
    // Directories of everybody's, empty now.
    assert.deepEqual(
      added.filter(
        (file) => !/\/(\.local(\/(bin|state|share(\/man(\/man1)?)?))?|\.config|\.cache|\.claude(\/sessions)?|\.wget-hsts)$/.test(file),
      ),
      [],
    );
  });
}

test("F4 a flipped byte on the way is refused by install.sh and by update; what is installed stays", { skip, timeout }, async () => {
  await using network = await createNetwork();
  const { site, address, certificate, script } = await served(network);
  const laptop = await BareHost.on(await network.host("laptop"), "curl", certificate);
  await laptop.run("sh", script, "--from", address, "--version", version);
  const installed = laptop.host.fileState(".local/bin/ccm");
  const damaged = path.join(site, "latest", "download", archive(NEXT_VERSION));
  const copy = fs.readFileSync(damaged);
  // A file of its own: the site's are links to the release.
  fs.rmSync(damaged);
  fs.writeFileSync(damaged, copy);
  flipByte(damaged);
  const install = await laptop.attempt("sh", script, "--from", address);
  assert.equal(install.code, 1);
  assert.match(install.stderr, /is not what was published: its SHA-256 is .*\. Nothing was installed\n$/);
  const update = await laptop.attempt("ccm", "update", "--from", address);
  assert.equal(update.code, 27, update.stderr);
  assert.equal(laptop.host.fileState(".local/bin/ccm"), installed);
  assert.deepEqual(laptop.host.list(".local/bin"), ["ccm"]);
});

test("F4 a disk that fills at half of an update: the old one still runs, nothing is left over; two at once do it once", {
  skip,
  timeout,
}, async () => {
  await using network = await createNetwork();
  const { address, certificate, script } = await served(network);
  const host = await network.host("laptop");
  const laptop = await BareHost.on(host, "curl", certificate);
  const directory = `${host.home}/.local/bin`;
  await laptop.run("mkdir", "-p", directory);
  const mount = (options: string) => host.exec("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { user: "root" });
  assert.equal((await mount("uid=1500,gid=1500,size=200m")).code, 0);
  await laptop.run("sh", script, "--from", address, "--version", version);
  const full = await laptop.attempt("ccm", "update", "--from", address);
  assert.equal(full.code, 22, full.stderr);
  assert.match(full.stderr, /no space left for another version/);
  assert.deepEqual(host.list(".local/bin"), ["ccm"]);
  assert.match(await laptop.run("ccm", "--version"), new RegExp(`^ccm ${version} `));

  assert.equal((await mount("remount,size=600m")).code, 0);
  const outcomes = await Promise.all([1, 2].map(() => laptop.attempt("ccm", "update", "--from", address)));
  assert.deepEqual(outcomes.map(({ code }) => code).sort(), [0, 21]);
  assert.match(await laptop.run("ccm", "--version"), new RegExp(`^ccm ${NEXT_VERSION} `));
  assert.deepEqual(host.list(".local/bin"), ["ccm"]);
});
