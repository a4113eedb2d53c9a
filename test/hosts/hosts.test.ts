import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { createNetwork } from "./harness/network.ts";
import { whyNoNetem } from "./harness/network-switch.ts";
import { whyNoHosts } from "./harness/prerequisites.ts";
import { registryRemains } from "./harness/registry-files.ts";
import { StandInSession } from "./harness/stand-in-session.ts";
import { waitFor } from "./harness/wait-for.ts";

const skip = whyNoHosts();

test("hosts reach each other by ssh and are machines of their own", { skip }, async () => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  const server = await network.host("server");
  const facts = "hostname; id -un; cat /etc/machine-id; echo $XDG_RUNTIME_DIR; readlink /proc/self/ns/pid";
  const there = await laptop.exec("ssh", ["-o", "BatchMode=yes", "server", facts]);
  const here = await laptop.exec("/bin/sh", ["-c", facts]);
  assert.equal(there.stderr, "");
  const [hostname, user, machineId, runtime, processes] = there.stdout.trim().split("\n");
  const [hostnameHere, userHere, machineIdHere, runtimeHere, processesHere] = here.stdout.trim().split("\n");
  assert.deepEqual([hostname, user, runtime], ["server", "ccmdev", "/run/user/1500"]);
  assert.deepEqual([hostnameHere, userHere, runtimeHere], ["laptop", "ccmdev", "/run/user/1500"]);
  assert.notEqual(machineId, machineIdHere);
  assert.notEqual(processes, processesHere);

  laptop.putFile("/tmp/mine", "laptop's");
  assert.equal(server.exists("/tmp/mine"), false);
  assert.equal(fs.existsSync("/tmp/mine"), false);
  const nobody = await laptop.exec("ssh", ["-o", "BatchMode=yes", "nobody-here", "true"]);
  assert.match(nobody.stderr, /Name or service not known/);
});

test("a host of its own kind: sshd options, login shell, no known hosts, no key, no ssh server", { skip }, async () => {
  await using network = await createNetwork();
  const server = await network.host("server", { sshdOptions: ["Port 22", "Port 2222"], loginShell: "/bin/sh" });
  const stranger = await network.host("stranger", { knownHosts: false });
  const keyless = await network.host("keyless", { sshKey: false, sshd: false });
  const ssh = ["-o", "BatchMode=yes"];
  assert.match((await stranger.exec("ssh", [...ssh, "server", "true"])).stderr, /Host key verification failed/);
  assert.match((await keyless.exec("ssh", [...ssh, "server", "true"])).stderr, /Permission denied/);
  assert.match((await stranger.exec("ssh", [...ssh, "keyless", "true"])).stderr, /Connection refused/);
  const accepted = await stranger.exec("ssh", [...ssh, "-o", "StrictHostKeyChecking=no", "-p", "2222", "server", "echo $0"]);
  assert.equal(accepted.stdout, "sh\n");
  assert.equal(server.sshdPids.length, 1);
});

test("a cut cable loses packets and no connection; a healed one brings them", { skip }, async () => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  const server = await network.host("server");
  const echo = laptop.spawn("ssh", ["-o", "BatchMode=yes", "server", "cat"]);
  echo.stdin.write("one\n");
  await echo.waitOutput(/one\n/);

  await server.cut();
  const dial = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=1", "server", "true"];
  const lost = await laptop.exec("ssh", dial);
  assert.match(lost.stderr, /timed out/);
  echo.stdin.write("two\n");
  assert.equal(echo.stdoutText, "one\n");

  await server.heal();
  await echo.waitOutput(/two\n/);
  assert.equal((await laptop.exec("ssh", dial)).code, 0);
});

test("an ssh server stops without its connections and starts again", { skip }, async () => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  const server = await network.host("server");
  const echo = laptop.spawn("ssh", ["-o", "BatchMode=yes", "server", "cat"]);
  echo.stdin.write("one\n");
  await echo.waitOutput(/one\n/);
  const before = server.sshdPids;
  assert.ok(before.length >= 2, `sshd: ${before}`);

  await server.stopSshd();
  assert.match((await laptop.exec("ssh", ["-o", "BatchMode=yes", "server", "true"])).stderr, /Connection refused/);
  echo.stdin.write("two\n");
  await echo.waitOutput(/two\n/);

  await server.restartSshd();
  assert.equal((await laptop.exec("ssh", ["-o", "BatchMode=yes", "server", "true"])).code, 0);
  assert.notEqual(server.sshdPids[0], before[0]);
});

test("a command's exit code, input, user and environment", { skip }, async () => {
  await using network = await createNetwork();
  const host = await network.host("laptop");
  const script = 'cat; echo " $WORD"; id -u; pwd; exit 7';
  const person = await host.exec("/bin/sh", ["-c", script], { input: "in", env: { WORD: "given" } });
  assert.deepEqual([person.stdout, person.code], ["in given\n1500\n/home/ccmdev\n", 7]);
  const root = await host.exec("id", ["-u"], { user: "root" });
  assert.equal(root.stdout, "0\n");
  await assert.rejects(host.exec("sleep", ["60"], { timeoutMs: 100 }), /did not end within 100 ms/);
  await waitFor(() => host.strayProcesses().length === 0, { what: "the late command to be gone" });
});

test("processes are listed, killed by their pid on the host, and orphans are reaped", { skip }, async () => {
  await using network = await createNetwork();
  const host = await network.host("laptop");
  const sleeper = host.spawn("sleep", ["61"]);
  const pid = await sleeper.pid();
  const command = () => host.processes().find((entry) => entry.pid === pid)?.command;
  await waitFor(() => command() === "sleep 61", { what: "the process under its own name", otherwise: () => String(command()) });
  await host.kill(pid);
  assert.deepEqual(await sleeper.exit, { code: undefined, signal: "SIGKILL" });

  const orphan = await host.exec("/bin/sh", ["-c", "sleep 62 >/dev/null 2>&1 & echo $!"]);
  assert.equal(host.strayProcesses().length, 1);
  await host.kill(Number(orphan.stdout));
  await waitFor(() => host.strayProcesses().length === 0, { what: "the orphan to be reaped" });
});

test("two networks beside each other have the same names and addresses and do not meet", { skip }, async () => {
  await using one = await createNetwork();
  await using other = await createNetwork();
  const [laptop] = await Promise.all([one.host("laptop"), other.host("laptop")]);
  const server = await other.host("server");
  assert.notEqual(one.directory, other.directory);
  assert.match((await laptop.exec("ssh", ["-o", "BatchMode=yes", "server", "true"])).stderr, /not known/);
  const byAddress = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=1", server.address, "true"];
  assert.notEqual((await laptop.exec("ssh", byAddress)).code, 0);
});

test("nothing is left behind, not even by what ran in the background", { skip }, async () => {
  const mounts = fs.readFileSync("/proc/self/mounts", "utf8");
  const passwd = fs.readFileSync("/etc/passwd", "utf8");
  let directory: string;
  let inits: number[];
  {
    await using network = await createNetwork();
    const laptop = await network.host("laptop");
    const server = await network.host("server");
    laptop.spawn("ssh", ["server", "setsid sleep 63 & sleep 64"]);
    await waitFor(() => server.strayProcesses().some(({ command }) => command === "sleep 63"), { what: "the background" });
    laptop.putFile("/etc/only-there", "x");
    ({ directory } = network);
    inits = network.hosts.map(({ initPid }) => initPid);
  }
  assert.equal(fs.existsSync(directory), false);
  for (const pid of inits) assert.equal(fs.existsSync(`/proc/${pid}`), false);
  assert.equal(fs.readFileSync("/proc/self/mounts", "utf8"), mounts);
  assert.equal(fs.readFileSync("/etc/passwd", "utf8"), passwd);
  assert.equal(fs.existsSync("/etc/only-there"), false);
});

test("netem delays what goes to a host", { skip: skip || (await whyNoNetem()) }, async () => {
  await using network = await createNetwork();
  const laptop = await network.host("laptop");
  const server = await network.host("server");
  await server.netem("delay", "300ms");
  const started = performance.now();
  await laptop.exec("ssh", ["-o", "BatchMode=yes", "server", "true"]);
  assert.ok(performance.now() - started > 900);
  await server.netem();
});

test("sessions without a model find each other on a host, and answer", { skip }, async () => {
  await using network = await createNetwork();
  const host = await network.host("laptop");
  const webUi = await StandInSession.start(network, host, "web-ui");
  const api = await StandInSession.start(network, host, "api");
  const [messageId] = await webUi.send("api", "hello", "bypass");
  const { frame, envelope } = await api.waitMessage("hello");
  assert.deepEqual([frame.msg_id, envelope.from, envelope.fromName, envelope.fromMode], [messageId, webUi.address, "web-ui", "bypass"]);
  await api.answer(frame, "held");
  await waitFor(() => webUi.receipts(messageId)[0]?.status === "held", { what: "the receipt" });
  await assert.rejects(webUi.send("nobody", "hello"), /nobody here is nobody/);
  await webUi.kill9();
  assert.equal(registryRemains(host).length, 3);
  await api.close();
  assert.equal(registryRemains(host).length, 3);
});
