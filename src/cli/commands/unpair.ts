import type { CommandModule } from "yargs";
import { noteEvent } from "../../audit/note-event.ts";
import { CcmError } from "../../core/errors.ts";
import { resolvePaths } from "../../core/paths.ts";
import { changeConfig, type PeerConfig, readConfig } from "../../daemon/config.ts";
import { reloadDaemon } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { nearestWord } from "../suggestion.ts";

interface Arguments {
  readonly peer: string;
  readonly json: boolean;
}

export const unpair: CommandModule<object, Arguments> = {
  command: "unpair <peer>",
  describe: "Forget a machine; the others stay linked",
  builder: (yargs) =>
    yargs
      .positional("peer", { type: "string", demandOption: true, describe: "Its host as it was paired, or its label" })
      .options(jsonOption),
  async handler({ peer, json }) {
    const paths = resolvePaths();
    const { host, label } = findPeer(readConfig(paths).peers, peer);
    changeConfig(paths, (config) => ({ ...config, peers: config.peers?.filter((other) => other.label !== label) }));
    noteEvent(paths, { ev: "unpair", peer: label, host });
    const reloaded = await reloadDaemon(paths);
    if (json) return printJson({ label, host, unpaired: true, daemonRunning: reloaded });
    print(`${label} (${host}) is no longer paired${reloaded ? "" : "; no daemon is running"}`);
  },
};

/** Labels first: they are unique, and one host may have been paired under two of them. */
function findPeer(peers: readonly PeerConfig[], text: string): PeerConfig {
  const found = peers.find(({ label }) => label === text) ?? peers.find(({ host }) => host === text);
  if (found) return found;
  const known = peers.flatMap(({ host, label }) => [label, host]);
  const meant = nearestWord(text, known);
  throw new CcmError("usage", `no machine "${text}" is paired`, { hint: hintFor(peers, meant) });
}

function hintFor(peers: readonly PeerConfig[], meant: string | undefined): string {
  if (meant !== undefined) return `did you mean: ccm unpair ${meant}`;
  return peers.length === 0 ? "none is: ccm pair HOST" : `paired are: ${peers.map(({ label }) => label).join(", ")}`;
}
