import type { CommandModule } from "yargs";
import { readRegistry } from "../../claude/registry.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { changeConfig, type PeerConfig, readConfig } from "../../daemon/config.ts";
import type { Attestation } from "../../link/rewrite-frame.ts";
import { audit } from "../audit.ts";
import { attestOption, jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { awaitLink } from "../pair/await-link.ts";
import { choosePeer, withPeer } from "../pair/choose-peer.ts";
import { describePairing, type Pairing } from "../pair/describe-pairing.ts";
import { reportTo, silentReporter } from "../pair/push-progress.ts";
import { withAttestation } from "../pair/with-attestation.ts";

interface Arguments {
  readonly host: string;
  readonly label: string | undefined;
  readonly attest: Attestation | undefined;
  readonly json: boolean;
}

export const pair: CommandModule<object, Arguments> = {
  command: "pair <host>",
  describe: "Link this machine with another one over ssh",
  builder: (yargs) =>
    yargs
      .positional("host", { type: "string", demandOption: true, describe: "As for ssh: an alias, HOST, USER@HOST or USER@HOST:PORT" })
      .options({
        label: { type: "string", requiresArg: true, describe: "What its sessions' names begin with here (default: its short host name)" },
        ...attestOption,
        ...jsonOption,
      })
      .example("ccm pair server", "")
      .example("ccm pair deploy@10.0.0.7:2222 --label staging", ""),
  async handler({ host, label, attest, json }) {
    const paths = resolvePaths();
    const before = readConfig(paths).peers;
    choosePeer(host, label, before);
    // Only this command needs ssh2, which takes longer to load than the others take to run.
    const { reachMachine } = await import("../pair/reach-machine.ts");
    const { pushed } = await reachMachine(host, paths, json ? silentReporter : reportTo(process.stderr));
    const peer = addPeer(paths, host, { label, attest });
    audit(paths, { ev: "pair", peer: peer.label, host });
    const link = await awaitLink(peer.label, paths);
    const pairing: Pairing = {
      ...peer,
      wasPaired: before.some((other) => other.host === host),
      pushed,
      link,
      memberNames: membersOf(peer.label, paths.claudeConfig),
    };
    if (json) printJson(toReport(pairing));
    else print(describePairing(pairing, styleFor(process.stdout)));
  },
};

/** Chosen again from what the file holds now: reaching the machine may have taken minutes. */
function addPeer(paths: Paths, host: string, { label, attest }: Pick<Arguments, "label" | "attest">): PeerConfig {
  const { peers } = changeConfig(paths, (config) => {
    const peer = choosePeer(host, label, config.peers ?? []);
    return withAttestation({ ...config, peers: withPeer(config.peers ?? [], peer) }, peer.label, attest);
  });
  return choosePeer(host, undefined, peers);
}

/** The mirrors of that machine's sessions, by the names that work here. */
function membersOf(label: string, claudeConfig: string): string[] {
  return readRegistry(claudeConfig).flatMap(({ record, unreachable }) =>
    record?.raw["ccmHost"] === label && !unreachable ? [record.name ?? ""] : [],
  );
}

function toReport({ host, label, wasPaired, pushed, link, memberNames }: Pairing): object {
  return { label, host, wasPaired, pushed, state: link?.state, version: link?.version, members: link?.members, memberNames };
}
