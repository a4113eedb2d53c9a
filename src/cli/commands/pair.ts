import type { CommandModule } from "yargs";
import { CcmError } from "../../core/errors.ts";
import { resolvePaths } from "../../core/paths.ts";
import { type PeerConfig, readConfig } from "../../daemon/config.ts";
import type { Attestation } from "../../link/rewrite-frame.ts";
import { attestOption, jsonOption, lastOf } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { choosePeer, type PeerWishes, withPeer } from "../pair/choose-peer.ts";
import { describePairing, pairingReport } from "../pair/describe-pairing.ts";
import { pairMachine } from "../pair/pair-machine.ts";
import { pairSeveral } from "../pair/pair-several.ts";
import { parseFingerprints } from "../pair/parse-fingerprints.ts";
import { reportTo, silentReporter } from "../pair/push-progress.ts";

interface Arguments {
  readonly host: readonly string[];
  readonly label: string | undefined;
  readonly transport: PeerWishes["transport"];
  readonly attest: Attestation | undefined;
  readonly "accept-new-host-key": string | undefined;
  readonly json: boolean;
}

export const pair: CommandModule<object, Arguments> = {
  command: "pair <host..>",
  describe: "Link this machine with another one, or several, over ssh",
  builder: (yargs) =>
    yargs
      .positional("host", {
        type: "string",
        array: true,
        demandOption: true,
        describe: "As for ssh: an alias, HOST, USER@HOST or USER@HOST:PORT",
      })
      .options({
        label: {
          type: "string",
          requiresArg: true,
          coerce: lastOf<string | undefined>,
          describe: "What its sessions' names begin with here (default: its short host name)",
        },
        transport: {
          choices: ["auto", "ssh2", "ssh"] as const,
          requiresArg: true,
          coerce: lastOf<PeerWishes["transport"]>,
          describe: "Which ssh reaches it: the one inside, or the system's (default: as its ssh configuration needs)",
        },
        "accept-new-host-key": {
          type: "string",
          requiresArg: true,
          coerce: lastOf<string | undefined>,
          describe: "Trust its host key, not known yet, if this is its fingerprint (SHA256:…), compared by you",
        },
        ...attestOption,
        ...jsonOption,
      })
      .example("ccm pair server", "")
      .example("ccm pair web-1 web-2 db", "")
      .example("ccm pair deploy@10.0.0.7:2222 --label staging", ""),
  async handler({ host, label, transport, attest, json, "accept-new-host-key": fingerprint }) {
    const paths = resolvePaths();
    const { peers } = readConfig(paths);
    const hosts = [...new Set(host)];
    const wishes: PeerWishes = { label, transport, attest };
    requirePeers(hosts, wishes, peers);
    const shared = { wishes, peers, paths, acceptedFingerprints: parseFingerprints(fingerprint) };
    const [first = ""] = hosts;
    if (hosts.length > 1) {
      return await pairSeveral(
        hosts.map((one) => ({ host: one, ...shared })),
        { json },
      );
    }
    const reporter = json ? silentReporter : reportTo(process.stderr);
    const pairing = await pairMachine({ host: first, ...shared, reporter });
    if (json) printJson(pairingReport(pairing));
    else print(describePairing(pairing, styleFor(process.stdout)));
  },
};

/** Every host and label is one, and no two want the same label: told before anything is connected to. */
function requirePeers(hosts: readonly string[], wishes: PeerWishes, peers: readonly PeerConfig[]): void {
  if (hosts.length > 1 && wishes.label !== undefined) {
    throw new CcmError("usage", "one --label cannot be for several hosts", {
      hint: "pair each with its own label, or leave the labels out",
    });
  }
  let chosen = peers;
  for (const host of hosts) chosen = withPeer(chosen, choosePeer(host, wishes, chosen));
}
