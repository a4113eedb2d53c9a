import { toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { type PeerConfig, readConfig } from "../../daemon/config.ts";
import { chooseTransport } from "../../ssh/choose-transport.ts";
import { resolveTarget } from "../../ssh/ssh-target.ts";
import { type Finding, ok, trouble } from "./finding.ts";

const CHECK = "ssh_transport";

/** How each paired machine is reached, and why so. Nothing is connected to. A bad config.json has a finding of its own. */
export async function checkTransports(paths: Paths, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  return await Promise.all(readPeers(paths).map((peer) => checkTransport(peer, environment)));
}

async function checkTransport({ host, label, transport }: PeerConfig, environment: NodeJS.ProcessEnv): Promise<Finding> {
  try {
    const target = await resolveTarget(host, { env: environment });
    const { name, reason } = await chooseTransport(target, { wish: transport, env: environment });
    return ok(CHECK, `${target.user}@${target.host} port ${target.port} by ${name}, because ${reason}`, label);
  } catch (error) {
    const { message, hint } = toCcmError(error);
    return trouble("fail", CHECK, message, { fix: hint, subject: label });
  }
}

function readPeers(paths: Paths): readonly PeerConfig[] {
  try {
    return readConfig(paths).peers;
  } catch {
    return [];
  }
}
