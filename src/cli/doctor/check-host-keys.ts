import { toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { type PeerConfig, readConfig } from "../../daemon/config.ts";
import { readKnownHosts } from "../../ssh/known-hosts/known-hosts.ts";
import { resolveTarget, type SshTarget } from "../../ssh/ssh-target.ts";
import { count } from "../output/units.ts";
import { type Finding, ok, trouble } from "./finding.ts";

const CHECK = "host_key";

/** Whether known_hosts has what it takes to verify each paired machine, and each on the way to it. Nothing is connected to. */
export async function checkHostKeys(paths: Paths, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings = await Promise.all(readPeers(paths).map((peer) => checkPeerKeys(peer, environment)));
  return findings.flat();
}

async function checkPeerKeys({ host, label }: PeerConfig, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    return hopsOf(await resolveTarget(host, { env: environment })).map((target) => checkTarget(target, label));
  } catch {
    // `ssh_transport` says what is wrong with it.
    return [];
  }
}

function hopsOf(target: SshTarget): SshTarget[] {
  return target.via ? [...hopsOf(target.via), target] : [target];
}

function checkTarget(target: SshTarget, label: string): Finding {
  try {
    const { name, lines, portlessLines } = readKnownHosts(target);
    const known = lines.length + portlessLines.length;
    if (known > 0) return ok(CHECK, `known_hosts has ${count(known, "line")} for ${name}`, label);
    const fix = `ssh ${target.typed} once in a terminal, compare the fingerprint, and say yes`;
    return trouble("fail", CHECK, `no known_hosts file has a key of ${name}`, { subject: label, fix });
  } catch (error) {
    const { message, hint } = toCcmError(error);
    return trouble("fail", CHECK, message, { subject: label, fix: hint });
  }
}

function readPeers(paths: Paths): readonly PeerConfig[] {
  try {
    return readConfig(paths).peers;
  } catch {
    return [];
  }
}
