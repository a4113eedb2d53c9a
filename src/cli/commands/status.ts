import type { CommandModule } from "yargs";
import { exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { readFileIfPresent } from "../../core/private-file.ts";
import { readConfig } from "../../daemon/config.ts";
import type { DaemonStatus } from "../../daemon/control-protocol.ts";
import { daemonStatusIfRunning } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { describeStatus } from "../status/describe-status.ts";
import { prometheusText } from "../status/prometheus.ts";

const FORMATS = ["text", "json", "prometheus"] as const;

interface Arguments {
  readonly json: boolean;
  readonly format: (typeof FORMATS)[number];
  readonly check: boolean;
}

export const status: CommandModule<object, Arguments> = {
  command: "status",
  describe: "Show the daemon and the link to each paired machine",
  builder: (yargs) =>
    yargs
      .options({
        format: { choices: FORMATS, default: "text" as const, describe: "For a person, a script or a monitoring system" },
        check: { type: "boolean", default: false, describe: "Fail with link_down unless every paired machine is linked" },
        ...jsonOption,
      })
      .example("ccm status --check --format prometheus > ccm.prom", ""),
  async handler({ json, format, check }) {
    const paths = resolvePaths();
    const running = await daemonStatusIfRunning(paths);
    const shown = running ?? lastStatus(paths);
    if (!running) process.exitCode = exitCodes.daemon_unavailable;
    const pairedLabels = readConfig(paths).peers.map(({ label }) => label);
    if (check && running && !isWhole(running, pairedLabels)) process.exitCode = exitCodes.link_down;
    if (json || format === "json") return printJson({ ...shown, running: running !== undefined });
    if (format === "prometheus") return print(prometheusText(shown, running !== undefined));
    print(describeStatus(shown, { running: running !== undefined, pairedLabels, nowMs: Date.now(), style: styleFor(process.stdout) }));
  },
};

/** Whether all that were paired here are linked; who dials us and is away is its own machine's concern. */
function isWhole({ peers }: DaemonStatus, pairedLabels: readonly string[]): boolean {
  const linked = new Set(peers.filter(({ state }) => state === "linked").map(({ label }) => label));
  return (
    pairedLabels.every((label) => linked.has(label)) &&
    peers.every(({ direction, state }) => direction === "answered" || state === "linked")
  );
}

/** What the last daemon left behind; undefined if none ever ran, or if what is there is not a status. */
function lastStatus(paths: Paths): DaemonStatus | undefined {
  try {
    const content = JSON.parse(readFileIfPresent(paths.statusFile) ?? "null") as DaemonStatus | null;
    return content && Array.isArray(content.peers) && content.daemon && content.machine ? content : undefined;
  } catch {
    return undefined;
  }
}
