import type { CommandModule } from "yargs";
import { CcmError } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { changeConfig, readConfig } from "../../daemon/config.ts";
import type { Attestation } from "../../link/rewrite-frame.ts";
import { daemonStatusIfRunning, reloadDaemon } from "../daemon-request.ts";
import { attestOption, jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { withAttestation } from "../pair/with-attestation.ts";
import { nearestWord } from "../suggestion.ts";

interface Arguments {
  readonly label: string;
  readonly attest: Attestation;
  readonly json: boolean;
}

export const peerSet: CommandModule<object, Arguments> = {
  command: "peer-set <label>",
  describe: "Say how far another machine is trusted, whichever side dials",
  builder: (yargs) =>
    yargs
      .positional("label", { type: "string", demandOption: true, describe: "The machine, as `ccm status` calls it" })
      .options({ attest: { ...attestOption.attest, demandOption: true }, ...jsonOption }),
  async handler({ label, attest, json }) {
    const paths = resolvePaths();
    await requireKnown(label, paths);
    changeConfig(paths, (config) => withAttestation(config, label, attest));
    const reloaded = await reloadDaemon(paths);
    if (json) return printJson({ label, attest, daemonRunning: reloaded });
    print(`${label}: ${meanings[attest]}${reloaded ? "" : "; no daemon is running"}`);
  },
};

const meanings: Readonly<Record<Attestation, string>> = {
  pass: "what its sessions declare about themselves counts here",
  strip: "its sessions cannot declare here that they bypass permission prompts",
};

/** A label that is mistyped would protect nobody and say nothing. */
async function requireKnown(label: string, paths: Paths): Promise<void> {
  const { peers, trust } = readConfig(paths);
  const linked = (await daemonStatusIfRunning(paths))?.peers ?? [];
  const known = [...new Set([...peers, ...linked].map((peer) => peer.label).concat(Object.keys(trust)))];
  if (known.includes(label)) return;
  const meant = nearestWord(label, known);
  const all = known.length === 0 ? "none is paired: ccm pair HOST" : `known are: ${known.join(", ")}`;
  throw new CcmError("usage", `no machine is called "${plainLine(label, 80)}"`, {
    hint: meant === undefined ? all : `did you mean: ccm peer-set ${meant}`,
  });
}
