import type { CommandModule } from "yargs";
import { readRegistry } from "../../claude/registry.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { changeConfig, type PeerConfig, readConfig } from "../../daemon/config.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { awaitLink } from "../pair/await-link.ts";
import { choosePeer, type PeerWishes, withPeer } from "../pair/choose-peer.ts";
import { describePairing, type Pairing } from "../pair/describe-pairing.ts";
import { reportTo, silentReporter } from "../pair/push-progress.ts";

interface Arguments {
  readonly host: string;
  readonly label: string | undefined;
  readonly transport: PeerWishes["transport"];
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
        transport: {
          choices: ["auto", "ssh2", "ssh"] as const,
          requiresArg: true,
          describe: "Which ssh reaches it: the one inside, or the system's (default: as its ssh configuration needs)",
        },
        ...jsonOption,
      })
      .example("ccm pair server", "")
      .example("ccm pair deploy@10.0.0.7:2222 --label staging", ""),
  async handler({ host, label, transport, json }) {
    const paths = resolvePaths();
    const before = readConfig(paths).peers;
    const wishes = { label, transport };
    const wished = choosePeer(host, wishes, before);
    // Only this command needs ssh2, which takes longer to load than the others take to run.
    const { reachMachine } = await import("../pair/reach-machine.ts");
    const { pushed } = await reachMachine(wished, paths, json ? silentReporter : reportTo(process.stderr));
    const peer = addPeer(paths, host, wishes);
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
function addPeer(paths: Paths, host: string, wishes: PeerWishes): PeerConfig {
  const { peers } = changeConfig(paths, (config) => ({
    ...config,
    peers: withPeer(config.peers ?? [], choosePeer(host, wishes, config.peers ?? [])),
  }));
  return choosePeer(host, {}, peers);
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
