import type { CommandModule } from "yargs";
import { CcmError } from "../../core/errors.ts";
import { resolvePaths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { readConfig } from "../../daemon/config.ts";
import type { Attestation } from "../../link/rewrite-frame.ts";
import { attestOption, jsonOption, lastOf } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import type { PeerWishes } from "../pair/choose-peer.ts";
import { describePairing, pairingReport } from "../pair/describe-pairing.ts";
import { nameOfSource } from "../pair/hosts/read-source.ts";
import { refuseHosts } from "../pair/hosts/refuse-hosts.ts";
import type { WantedHost } from "../pair/hosts/wanted-host.ts";
import { checkHosts, readWantedHosts, wishesFor } from "../pair/hosts/wanted-hosts.ts";
import { pairMachine } from "../pair/pair-machine.ts";
import { pairSeveral } from "../pair/pair-several.ts";
import { parseFingerprints } from "../pair/parse-fingerprints.ts";
import { reportTo, silentReporter } from "../pair/push-progress.ts";

interface Arguments {
  readonly host: readonly string[] | undefined;
  readonly hosts: string | undefined;
  readonly inventory: string | undefined;
  readonly group: string | undefined;
  readonly label: string | undefined;
  readonly transport: PeerWishes["transport"];
  readonly attest: Attestation | undefined;
  readonly "accept-new-host-key": string | undefined;
  readonly json: boolean;
}

export const pair: CommandModule<object, Arguments> = {
  command: "pair [host..]",
  describe: "Link this machine with another one, or several, over ssh",
  builder: (yargs) =>
    yargs
      .positional("host", {
        type: "string",
        array: true,
        describe: "As for ssh: an alias, HOST, USER@HOST or USER@HOST:PORT",
      })
      .options({
        hosts: {
          type: "string",
          requiresArg: true,
          coerce: lastOf<string | undefined>,
          describe: "A file with a host a line and perhaps its label after it; # begins a comment; - for stdin",
        },
        inventory: {
          type: "string",
          requiresArg: true,
          coerce: lastOf<string | undefined>,
          describe: "An ansible inventory, or what ansible-inventory --list printed; - for stdin",
        },
        group: {
          type: "string",
          requiresArg: true,
          coerce: lastOf<string | undefined>,
          describe: "The group of the inventory that is paired (default: all of it)",
        },
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
      .example("ccm pair deploy@10.0.0.7:2222 --label staging", "")
      .example("ccm pair --hosts machines.txt", "")
      .example("ccm pair --inventory hosts.ini --group web", ""),
  async handler({ host: words = [], hosts: hostsFile, inventory, group, label, transport, attest, json, ...rest }) {
    const paths = resolvePaths();
    const { peers } = readConfig(paths);
    const wishes: PeerWishes = { label, transport, attest };
    const wanted = await readWantedHosts({ words, hostsFile, inventory, group });
    requireOneLabelled(wanted.hosts, label);
    const { hosts, problems } = checkHosts(wanted.hosts, wishes, peers);
    const allProblems = [...wanted.problems, ...problems];
    if (allProblems.length > 0) return refuseHosts(allProblems, { json });
    const acceptedFingerprints = parseFingerprints(rest["accept-new-host-key"]);
    const [first, ...others] = hosts.map((one) => ({
      host: one.host,
      wishes: wishesFor(one, wishes),
      peers,
      paths,
      acceptedFingerprints,
    }));
    if (!first) throw nothingToPair(hostsFile);
    if (others.length > 0) return await pairSeveral([first, ...others], { json });
    const reporter = json ? silentReporter : reportTo(process.stderr);
    const pairing = await pairMachine({ ...first, reporter });
    if (json) printJson(pairingReport(pairing));
    else print(describePairing(pairing, styleFor(process.stdout)));
  },
};

function requireOneLabelled(hosts: readonly WantedHost[], label: string | undefined): void {
  if (label === undefined || new Set(hosts.map(({ host }) => host)).size <= 1) return;
  throw new CcmError("usage", "one --label cannot be for several hosts", {
    hint: "pair each with its own label, or leave the labels out",
  });
}

function nothingToPair(hostsFile: string | undefined): CcmError {
  if (hostsFile !== undefined) return new CcmError("usage", `there is no host in ${plainLine(nameOfSource(hostsFile), 100)}`);
  return new CcmError("usage", "pair: <host> is missing", { hint: "see ccm pair --help" });
}
