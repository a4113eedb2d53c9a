import { CcmError, exitCodes } from "../../core/errors.ts";
import { readLightConfig } from "../../core/light-config.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { readConfig } from "../../daemon/config.ts";
import { askDaemon } from "../../daemon/control-client.ts";
import type { DaemonStatus, ErrorReport, ExaminedMachine, PeerStatus } from "../../daemon/control-protocol.ts";
import { daemonStatusIfRunning } from "../daemon-request.ts";
import { checkMachine } from "./check-machine.ts";
import { worstLevel } from "./describe-findings.ts";
import type { Finding, Level } from "./finding.ts";
import { parseFindings } from "./parse-findings.ts";

/** The other machines have 25 s. */
const EXAMINE_TIMEOUT_MS = 30_000;

/** How one machine is, as a line of `ccm doctor --all`. */
export interface MachineHealth {
  readonly machine: string;
  /** `here`, or how the link is; `unknown` to the daemon until it has taken the pairing up. */
  readonly link: "here" | "unknown" | PeerStatus["state"];
  readonly version?: string | undefined;
  /** `unreached`: it could not be asked; a machine that dials us and is away is not missed. */
  readonly result: Level | "unreached" | "away";
  readonly findings: readonly Finding[];
  readonly problem?: string | undefined;
}

/** This machine's own checks, and those of every paired machine, which it runs itself; all at once. */
export async function examineFleet(paths: Paths, environment: NodeJS.ProcessEnv): Promise<MachineHealth[]> {
  const status = await daemonStatusIfRunning(paths);
  const [own, examined] = await Promise.all([checkMachine(paths, environment), status ? examinePeers(paths) : []]);
  const answers = new Map(examined.map((one) => [one.machine, one]));
  const peers = status?.peers ?? [];
  const unknown = readConfig(paths).peers.filter(({ label }) => !peers.some((peer) => peer.label === label));
  return [
    ownHealth(paths, own, status),
    ...peers.map((peer) => peerHealth(peer, answers.get(peer.label))),
    ...unknown.map(({ label }) => unknownHealth(label, status !== undefined)),
  ];
}

/** For a monitoring system: 0, or what is most in the way of the chat. */
export function fleetExitCode(machines: readonly MachineHealth[]): number {
  const [here, ...others] = machines;
  if (here?.findings.some(({ check, level }) => check === "daemon" && level === "fail")) return exitCodes.daemon_unavailable;
  if (others.some(({ result }) => result === "unreached")) return exitCodes.link_down;
  return machines.some(({ result }) => result === "fail") ? exitCodes.check_failed : 0;
}

async function examinePeers(paths: Paths): Promise<readonly ExaminedMachine[]> {
  const answer = await askDaemon(paths, { op: "examine" }, { timeoutMs: EXAMINE_TIMEOUT_MS });
  if ("examined" in answer) return answer.examined;
  throw new CcmError("internal", "the daemon's answer has no findings");
}

function ownHealth(paths: Paths, all: readonly Finding[], status: DaemonStatus | undefined): MachineHealth {
  // A link that is down has a line of its own.
  const findings = all.filter(({ check, level }) => check !== "peer" || level === "ok");
  const machine = status?.machine.label ?? readLightConfig(paths).label;
  return { machine, link: "here", version: status?.daemon.version, result: worstLevel(findings), findings };
}

function peerHealth(peer: PeerStatus, answer: ExaminedMachine | undefined): MachineHealth {
  const about = { machine: peer.label, link: peer.state, version: peer.version, findings: [] };
  if (peer.state !== "linked") {
    const result = peer.direction === "answered" ? "away" : "unreached";
    return { ...about, result, problem: describeProblem(peer.error) ?? "it is not linked" };
  }
  const findings = parseFindings(answer?.findings);
  if (findings) return { ...about, findings, result: worstLevel(findings) };
  const { code, message } = answer?.problem ?? { code: "internal", message: "what it answered is not understood" };
  if (code !== "refused") return { ...about, result: "unreached", problem: plainLine(message) };
  // An older build, which does not know the question.
  return { ...about, result: "warn", problem: `it cannot be asked: ${plainLine(message)}` };
}

function unknownHealth(machine: string, running: boolean): MachineHealth {
  const problem = running ? "paired, not taken up yet" : "no daemon is running here to ask it: ccm up";
  return { machine, link: "unknown", result: "unreached", findings: [], problem };
}

function describeProblem(error: ErrorReport | undefined): string | undefined {
  return error && plainLine(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`, 400);
}
