import { randomBytes } from "node:crypto";
import { Counters } from "../audit/counters.ts";
import { openTrail, type Trail } from "../audit/trail.ts";
import { cleanSpool } from "../claude/attachments/spool.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { toCcmError } from "../core/errors.ts";
import { type Log, openLog } from "../core/log.ts";
import type { Paths } from "../core/paths.ts";
import { ensurePrivateDirectory, writePrivateFile } from "../core/private-file.ts";
import { LinkConnection, type LinkStream } from "../link/connection.ts";
import type { Attestation } from "../link/rewrite-frame.ts";
import { openMirror } from "../mirror/mirror.ts";
import { type Config, machineLabel, readConfig } from "./config.ts";
import { ControlAnswers } from "./control-answers.ts";
import { type ControlServer, listenControl } from "./control-server.ts";
import { daemonStatus } from "./daemon-status.ts";
import { Diallers } from "./diallers.ts";
import { IdleWatch } from "./idle-watch.ts";
import { LocalChat } from "./local-chat.ts";
import { readMachineId } from "./machine.ts";
import { NetworkWatch } from "./network-watch.ts";
import { type OpenSshLinkOptions, openSshLink } from "./open-ssh-link.ts";
import { Peers } from "./peers.ts";
import { HostProbe } from "./probe-host.ts";
import { RelayTrail } from "./relay-trail.ts";

export type OpenLink = (options: OpenSshLinkOptions) => Promise<LinkStream>;

export interface DaemonOptions {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /** How a paired host is reached; by ssh unless told otherwise. */
  readonly openLink?: OpenLink;
  /** Asked for by a command, or because nothing is left to do. */
  readonly onStop: (reason: string, final: boolean) => void;
}

/** The one long-lived process of a user on a machine. It puts the rooms together and does nothing itself. */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #clock: Clock;
  readonly #boot = randomBytes(8).toString("hex");
  readonly #startedAt: number;
  readonly #machineId: string;
  readonly #log: Log;
  readonly #trail: Trail;
  readonly #counters: Counters;
  readonly #relayTrail: RelayTrail;
  readonly #localChat: LocalChat;
  readonly #peers: Peers;
  readonly #diallers: Diallers;
  readonly #network: NetworkWatch;
  readonly #idle: IdleWatch;
  readonly #answers: ControlAnswers;
  #config: Config;
  #control: ControlServer | undefined;
  #statusDue = false;
  #stopped: Promise<void> | undefined;

  private constructor(options: DaemonOptions) {
    const { paths, environment, clock = systemClock, openLink = openSshLink, onStop } = options;
    this.#options = options;
    this.#clock = clock;
    this.#startedAt = clock.now();
    ensurePrivateDirectory(paths.state);
    this.#config = readConfig(paths);
    this.#machineId = readMachineId(paths);
    this.#log = openLog(paths.logFile, Date.now, isService(environment) ? process.stderr : undefined);
    this.#trail = openTrail({ file: paths.auditFile, node: () => this.#label, onProblem: (message) => this.#log.warn(message) });
    const onProblem = (message: string) => this.#log.warn(message);
    this.#localChat = new LocalChat({ paths, clock, trail: this.#trail, onProblem });
    this.#counters = new Counters({ file: paths.countersFile, clock, onProblem });
    this.#relayTrail = new RelayTrail(this.#trail, this.#counters, () => this.#config.audit_preview_chars);
    const onChange = () => this.#changed();
    this.#peers = new Peers({
      machineId: this.#machineId,
      boot: this.#boot,
      label: () => this.#label,
      graceMs: () => this.#config.grace_seconds * 1000,
      attestation: (label) => this.#attestation(label),
      claudeConfig: paths.claudeConfig,
      localMembers: this.#localChat.members,
      openMirror: (mirror) => openMirror({ ...mirror, claudeConfig: paths.claudeConfig, env: environment, clock }),
      clock,
      log: this.#log,
      trail: this.#relayTrail,
      answerQuestion: (question) => this.#answers.answerQuestion(question),
      onChange,
    });
    this.#diallers = new Diallers({
      peers: this.#peers,
      open: ({ host, transport }, signal, connectMs) =>
        openLink({ host, transport, signal, connectMs, environment, cacheDirectory: paths.cache, log: this.#log }),
      probe: (host) => new HostProbe(host, environment),
      clock,
      onChange,
      onRefused: (label, error) => this.#relayTrail.linkRefused(label, error),
    });
    this.#network = new NetworkWatch({ clock, onChange: (what) => this.#networkChanged(what) });
    this.#idle = new IdleWatch({
      clock,
      isIdle: () => !isService(environment) && this.#peers.all.length + this.#diallers.all.length === 0,
      onIdle: () => onStop("idle", true),
    });
    this.#answers = new ControlAnswers({
      clock,
      auditFile: paths.auditFile,
      label: () => this.#label,
      peers: this.#peers,
      diallers: this.#diallers,
      localMembers: this.#localChat.members,
      relayTrail: this.#relayTrail,
      status: () => this.#status(),
      reload: () => this.#reload(),
      stop: (...how) => this.stop(...how),
      onStop,
    });
    this.#localChat.members.onChange(onChange);
  }

  /** The caller holds the daemon's lock. Rejects with `config_invalid`, `state_unusable`; then nothing has been started. */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const daemon = new Daemon(options);
    daemon.#control = await listenControl({
      socketPath: options.paths.controlSocket,
      answer: (...asked) => daemon.#answers.answer(...asked),
      onLink: (stream) => void daemon.#answerLink(stream),
    });
    daemon.#log.info(`started, pid ${process.pid}`);
    daemon.#trail.append({ ev: "daemon_up", pid: process.pid });
    await daemon.#diallers.follow(daemon.#config.peers);
    daemon.#idle.start();
    void cleanSpool(options.paths.claudeConfig);
    daemon.#changed();
    return daemon;
  }

  /** Ends links and mirrors, and leaves a true status.json. Safe to call again; never rejects. */
  stop(reason: string, final: boolean): Promise<void> {
    this.#stopped ??= this.#stop(reason, final);
    return this.#stopped;
  }

  /** Settles when every answer that was owed has been read, or after a second. */
  async drained(): Promise<void> {
    await this.#control?.close();
  }

  async #stop(reason: string, final: boolean): Promise<void> {
    this.#network.stop();
    this.#idle.stop();
    const stopping = [this.#peers.closeAll(reason, final), this.#diallers.stopAll()];
    for (const result of await Promise.allSettled(stopping)) if (result.status === "rejected") this.#log.warn(String(result.reason));
    this.#localChat.close();
    this.#counters.flush();
    this.#trail.append({ ev: "daemon_down", reason });
    this.#trail.flush();
    this.#log.info(`stopped: ${reason}`);
    this.#writeStatus(false);
  }

  #networkChanged(what: string): void {
    this.#log.info(`${what}: trying every link`);
    for (const peer of this.#peers.all) peer.verify();
    this.#diallers.nudge();
  }

  get #label(): string {
    return machineLabel(this.#config);
  }

  async #reload(): Promise<void> {
    this.#config = readConfig(this.#options.paths);
    await this.#diallers.follow(this.#config.peers);
    this.#changed();
  }

  #attestation(label: string): Attestation {
    return this.#config.trust[label]?.attest ?? "pass";
  }

  async #answerLink(stream: LinkStream): Promise<void> {
    const connection = new LinkConnection({ stream, clock: this.#clock });
    connection.greet(this.#peers.hello());
    try {
      const hello = await connection.ready;
      await this.#peers.attach(connection, hello, "answered", this.#peers.answeredLabel(hello));
    } catch (error) {
      // `ccm pair` looks whether it gets this far, and hangs up.
      this.#log.info(`someone connected and no link came of it: ${toCcmError(error).message}`);
    }
  }

  #status() {
    return daemonStatus({
      startedAt: this.#startedAt,
      boot: this.#boot,
      machine: { id: this.#machineId, label: this.#label },
      members: this.#localChat.members.all.size,
      attestation: (label) => this.#attestation(label),
      diallers: this.#diallers.all,
      peers: this.#peers.all,
      totals: (label) => this.#counters.of(label),
    });
  }

  #changed(): void {
    this.#idle.check();
    if (this.#statusDue) return;
    this.#statusDue = true;
    setImmediate(() => {
      this.#statusDue = false;
      this.#writeStatus(true);
    });
  }

  #writeStatus(running: boolean): void {
    // What a stop has written last stays.
    if (running && (!this.#control || this.#stopped)) return;
    try {
      writePrivateFile(this.#options.paths.statusFile, `${JSON.stringify({ ...this.#status(), running })}\n`);
    } catch (error) {
      this.#log.warn(toCcmError(error).message);
    }
  }
}

/** Started and watched by systemd or launchd, whose definitions set this: it stays, and logs to them too. */
function isService(environment: NodeJS.ProcessEnv): boolean {
  return environment.CCM_SERVICE === "1";
}
