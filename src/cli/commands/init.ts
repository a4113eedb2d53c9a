import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { readConfig } from "../../daemon/config.ts";
import { reloadDaemon } from "../daemon-request.ts";
import { applyChanges } from "../init/apply-changes.ts";
import { type HooksPlace, hooksPlaces, planInit } from "../init/plan-init.ts";
import { dryRunOption, jsonOption, requireLabel } from "../options.ts";
import { print, printJson } from "../output/print.ts";

interface Arguments {
  readonly label: string | undefined;
  readonly hooks: HooksPlace | undefined;
  readonly "dry-run": boolean;
  readonly json: boolean;
}

export const init: CommandModule<object, Arguments> = {
  command: "init",
  describe: "Give this machine its name, and Claude Code the plugin that lets sessions join",
  builder: (yargs) =>
    yargs.options({
      label: { type: "string", requiresArg: true, describe: "What the other machines call this one (default: its short host name)" },
      hooks: {
        choices: hooksPlaces,
        requiresArg: true,
        describe: "Where the hooks go: a plugin (default), settings.json, or nowhere",
      },
      ...dryRunOption,
      ...jsonOption,
    }),
  async handler({ label, hooks, "dry-run": isDryRun, json }) {
    const paths = resolvePaths();
    const plan = planInit(paths, { label: label === undefined ? undefined : requireLabel(label), hooks }, process.env);
    const changes = plan.changes.map(({ what }) => what);
    const report = { label: plan.label, changed: changes.length > 0, changes, notes: plan.notes, configFile: paths.configFile };
    if (isDryRun) return json ? printJson({ ...report, dryRun: true }) : print(describeDryRun(changes, plan.notes));
    if (!json) print(`This machine is called ${plan.label}${plan.isRenamed ? "" : " already"}.`);
    await applyChanges(plan.changes, (done) => (json ? undefined : print(`  ${done}`)));
    if (changes.length > 0) await reloadDaemon(paths);
    if (json) return printJson(report);
    for (const note of plan.notes) print(`  ${note}`);
    print(readConfig(paths).peers.length === 0 ? "Next: ccm pair HOST" : "Next: ccm status");
  },
};

/** Of a command that would only do what it says. */
export function describeDryRun(changes: readonly string[], notes: readonly string[]): string {
  const lines = changes.length === 0 ? ["nothing would change"] : changes.map((what) => `would ${what}`);
  return [...lines, ...notes.map((note) => `note: ${note}`)].join("\n");
}
