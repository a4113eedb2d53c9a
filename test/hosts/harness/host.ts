import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { person } from "./host-files.ts";
import { HostProcess } from "./host-process.ts";
import { type HostProcessEntry, listProcesses } from "./host-view.ts";
import { NamespaceProcess } from "./namespace-process.ts";
import type { NetworkSwitch } from "./network-switch.ts";
import { requireTool } from "./prerequisites.ts";
import { type CommandOptions, type CommandResult, runCommand } from "./run-command.ts";
import { waitFor } from "./wait-for.ts";

export interface HostCommandOptions extends CommandOptions {
  /** The person, unless told otherwise. */
  readonly user?: "dev" | "root";
}

export interface HostStart {
  readonly name: string;
  readonly address: string;
  /** The port of the switch that its cable is in. */
  readonly port: number;
  readonly networkSwitch: NetworkSwitch;
  /** What host-files.ts wrote. */
  readonly directory: string;
  readonly sshd: boolean;
  readonly runtimeDirectory: boolean;
}

/** A machine of its own: network, processes, host name, machine-id, /etc, /tmp, /run, /home and an ssh server. */
export class Host {
  readonly name: string;
  readonly address: string;
  readonly home: string = person.home;
  readonly #start: HostStart;
  readonly #init: NamespaceProcess;
  readonly #spawned = new Set<HostProcess>();

  private constructor(start: HostStart, init: NamespaceProcess) {
    this.name = start.name;
    this.address = start.address;
    this.#start = start;
    this.#init = init;
  }

  static async start(start: HostStart): Promise<Host> {
    const init = await NamespaceProcess.start({
      namespaces: ["--mount", "--uts", "--ipc", "--net", "--mount-proc"],
      command: [requireTool("bash"), path.join(import.meta.dirname, "host-init.sh")],
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        HOST_NAME: start.name,
        HOST_DIR: start.directory,
        HOST_USER: person.name,
        HOST_UID: String(person.uid),
        HOST_SSHD: start.sshd ? requireTool("sshd") : "",
      },
      readyText: "ready",
    });
    const host = new Host(start, init);
    await start.networkSwitch.connect(start.port, init.pid, start.address);
    if (start.sshd) await host.#sshdIsUp();
    return host;
  }

  /** The host's root directory as this machine sees it. Do not follow absolute symlinks through it. */
  get root(): string {
    return `/proc/${this.#init.pid}/root`;
  }

  /** Its pid 1, as this machine counts. */
  get initPid(): number {
    return this.#init.pid;
  }

  /** Runs a command to its end, as the person, in the home directory. */
  exec(command: string, args: readonly string[] = [], options: HostCommandOptions = {}): Promise<CommandResult> {
    const [file, ...rest] = this.#enter(command, args, options);
    return runCommand(file, rest, { ...options, env: this.#environment(options), cwd: "/" });
  }

  /** Starts a command that runs on. It ends with the host, if not before. */
  spawn(command: string, args: readonly string[] = [], options: Omit<HostCommandOptions, "input" | "timeoutMs"> = {}): HostProcess {
    const [file, ...rest] = this.#enter(command, args, options);
    const child = spawn(file, rest, { env: this.#environment(options), cwd: "/", detached: true, stdio: "pipe" });
    const started = new HostProcess(child);
    this.#spawned.add(started);
    void started.exit.catch(() => {}).then(() => this.#spawned.delete(started));
    return started;
  }

  /** A path on the host as this machine reaches it; a relative one is in the person's home. */
  path(onHost: string): string {
    return `${this.root}${path.resolve(this.home, onHost)}`;
  }

  exists(onHost: string): boolean {
    return fs.existsSync(this.path(onHost));
  }

  readFile(onHost: string): string {
    return fs.readFileSync(this.path(onHost), "utf8");
  }

  /** When a file was last changed, and which file it is: the same only while nobody has replaced or rewritten it. */
  fileState(onHost: string): string {
    const { ino, mtimeMs, size } = fs.statSync(this.path(onHost));
    return `${ino} ${mtimeMs} ${size}`;
  }

  /** The names in a directory; none where there is none. */
  list(onHost: string): string[] {
    return this.exists(onHost) ? fs.readdirSync(this.path(onHost)) : [];
  }

  /** Writes a file of the person, with its parent directories. */
  putFile(onHost: string, content: string | Uint8Array, mode = 0o644): void {
    this.#makeDirectory(path.dirname(path.resolve(this.home, onHost)));
    fs.writeFileSync(this.path(onHost), content, { mode });
    fs.chownSync(this.path(onHost), person.uid, person.uid);
  }

  /** Puts an executable where the person's PATH finds it as `ccm`. */
  installCcm(executable: string, name = "ccm"): void {
    this.#makeDirectory(`${this.home}/.local/bin`);
    const target = this.path(`.local/bin/${name}`);
    fs.copyFileSync(executable, target);
    fs.chmodSync(target, 0o755);
    fs.chownSync(target, person.uid, person.uid);
  }

  /** Pulls the cable: packets vanish, and no connection is told. */
  cut(): Promise<void> {
    return this.#start.networkSwitch.cut(this.#start.port);
  }

  heal(): Promise<void> {
    return this.#start.networkSwitch.heal(this.#start.port);
  }

  /** Makes what arrives here worse, e.g. `netem("delay", "20ms", "loss", "1%")`; without arguments good again. */
  netem(...args: string[]): Promise<void> {
    return this.#start.networkSwitch.shape(this.#start.port, args);
  }

  processes(): HostProcessEntry[] {
    return listProcesses(this.root);
  }

  /** Whether a process runs; one that has ended and that its parent has not collected yet does not. */
  isRunning(pid: number): boolean {
    return this.processes().some((entry) => entry.pid === pid && !entry.zombie);
  }

  /** What runs besides pid 1 and the ssh server that listens. */
  strayProcesses(): HostProcessEntry[] {
    const expected = [1, this.#sshdPid()];
    return this.processes().filter(({ pid }) => !expected.includes(pid));
  }

  /** Sends a signal to a process of the host, by its pid there. Rejects if there is none. */
  async kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const result = await this.exec("/bin/sh", ["-c", 'kill -s "$0" "$1"', signal.slice(3), String(pid)], { user: "root" });
    if (result.code !== 0) throw new Error(`kill ${signal} ${pid} on ${this.name}: ${result.stderr.trim()}`);
  }

  /** The ssh server that listens, then those of the connections. */
  get sshdPids(): number[] {
    const listener = this.#sshdPid();
    const all = this.processes().filter(({ command }) => /^(\/\S*\/)?sshd(-session|-auth)?:? /.test(command));
    return all.map(({ pid }) => pid).sort((one, other) => Number(other === listener) - Number(one === listener) || one - other);
  }

  /** No new connections; the ones there are stay. */
  async stopSshd(): Promise<void> {
    const pid = this.#sshdPid();
    if (pid === undefined) return;
    await this.kill(pid, "SIGTERM");
    await waitFor(() => !this.exists(`/proc/${pid}`), { what: `sshd of ${this.name} to leave` });
  }

  async restartSshd(): Promise<void> {
    await this.stopSshd();
    fs.rmSync(this.path("/run/sshd.pid"), { force: true });
    const result = await this.exec(requireTool("sshd"), ["-f", "/etc/ccm-sshd_config"], { user: "root" });
    if (result.code !== 0) throw new Error(`sshd of ${this.name}: ${result.stderr.trim()}`);
    await this.#sshdIsUp();
  }

  /** Ends the host with everything on it. */
  async stop(): Promise<void> {
    await this.#init.stop();
    await Promise.all([...this.#spawned].map(({ exit }) => exit.catch(() => {})));
  }

  /** Its pid file is written when it listens. */
  async #sshdIsUp(): Promise<void> {
    await waitFor(() => this.#sshdPid(), { what: `sshd of ${this.name}` });
  }

  #sshdPid(): number | undefined {
    try {
      const pid = Number(this.readFile("/run/sshd.pid"));
      return pid > 0 && this.exists(`/proc/${pid}`) ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  #makeDirectory(onHost: string): void {
    if (this.exists(onHost)) return;
    this.#makeDirectory(path.dirname(onHost));
    fs.mkdirSync(this.path(onHost));
    fs.chownSync(this.path(onHost), person.uid, person.uid);
  }

  #enter(command: string, args: readonly string[], { user = "dev", cwd }: HostCommandOptions): [string, ...string[]] {
    const target = ["-t", String(this.#init.pid), "-m", "-u", "-i", "-p", "-n"];
    const identity = user === "root" ? [] : ["-S", String(person.uid), "-G", String(person.uid)];
    const directory = cwd ?? (user === "root" ? "/" : this.home);
    return [requireTool("nsenter"), ...target, ...identity, "--", requireTool("env"), "-C", directory, command, ...args];
  }

  #environment({ user = "dev", env = {} }: HostCommandOptions): NodeJS.ProcessEnv {
    const common = { LANG: "C.UTF-8", TERM: "xterm-256color", SHELL: "/bin/bash" };
    const system = "/usr/local/bin:/usr/bin:/bin";
    if (user === "root") return { ...common, HOME: "/run/root", USER: "root", PATH: `${system}:/usr/sbin:/sbin`, ...env };
    const runtime = this.#start.runtimeDirectory ? { XDG_RUNTIME_DIR: person.runtimeDirectory } : {};
    const path = `${this.home}/.local/bin:${system}`;
    return { ...common, ...runtime, HOME: this.home, USER: person.name, LOGNAME: person.name, PATH: path, ...env };
  }
}
