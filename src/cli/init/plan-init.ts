import type { Paths } from "../../core/paths.ts";
import { changeConfig, machineLabel, readConfig } from "../../daemon/config.ts";
import { homeRelative } from "../output/home-relative.ts";
import type { Change } from "./change.ts";
import { findClaude } from "./claude-command.ts";
import { marketplaceChanges, removeMarketplace } from "./marketplace.ts";
import { installPlugin, pluginState, uninstallPlugin } from "./plugin-installation.ts";
import { addSettingsHooks, hasSettingsHooks, removeSettingsHooks } from "./settings-hooks.ts";
import { stableProgram } from "./stable-program.ts";

export const hooksPlaces = ["plugin", "settings", "none"] as const;
export type HooksPlace = (typeof hooksPlaces)[number];

export interface InitRequest {
  readonly label: string | undefined;
  /** Undefined: the plugin where there is a `claude` to install it, and what was chosen before where there is not. */
  readonly hooks: HooksPlace | undefined;
}

export interface InitPlan {
  readonly label: string;
  readonly isRenamed: boolean;
  readonly changes: readonly Change[];
  /** What the person should know beside the changes. */
  readonly notes: readonly string[];
}

/** What `ccm init` has to do; nothing is done yet. Throws `config_invalid`, `state_unusable`. */
export function planInit(paths: Paths, { label, hooks }: InitRequest, environment: NodeJS.ProcessEnv): InitPlan {
  const current = readConfig(paths);
  const chosen = label ?? machineLabel(current);
  const { changes, notes } = planHooks(paths, hooks, environment);
  const isRenamed = current.label !== chosen;
  return { label: chosen, isRenamed, changes: [...(isRenamed ? [labelChange(paths, chosen)] : []), ...changes], notes };
}

/** What `ccm uninstall` has to do: to take out what `ccm init` puts in. What a person made with it stays: pairings, the trail. */
export function planUninstall(paths: Paths, environment: NodeJS.ProcessEnv): Pick<InitPlan, "changes" | "notes"> {
  const claude = findClaude(environment);
  const isLeft = claude === undefined && pluginState(paths) !== "absent";
  return {
    changes: [
      ...removeSettingsHooks(paths),
      ...(claude === undefined ? [] : uninstallPlugin(paths, claude, environment)),
      ...removeMarketplace(paths),
    ],
    notes: isLeft ? ["there is no claude on PATH to uninstall the plugin with: claude plugin uninstall ccm@ccm"] : [],
  };
}

function planHooks(paths: Paths, hooks: HooksPlace | undefined, environment: NodeJS.ProcessEnv): Pick<InitPlan, "changes" | "notes"> {
  const claude = findClaude(environment);
  const program = stableProgram(paths, environment);
  const place = hooks ?? (claude === undefined && hasSettingsHooks(paths) ? "settings" : "plugin");
  if (place === "none") return { changes: [], notes: [] };
  const notes = program[0]?.startsWith(paths.cache)
    ? [`the hooks name ${program[0]}, which an update removes: install ccm as ~/.local/bin/ccm`]
    : [];
  if (place === "settings") return { changes: addSettingsHooks(paths, program), notes: [...notes, ...twice(paths)] };
  if (claude === undefined) {
    return { changes: [], notes: ["no hooks: there is no claude on PATH (ccm init --hooks=settings does without it)"] };
  }
  const disabled = pluginState(paths) === "disabled" ? ["the plugin is installed and switched off: claude plugin enable ccm@ccm"] : [];
  return {
    // One place is enough: the plugin's hooks take over from those in settings.json.
    changes: [...marketplaceChanges(paths, program), ...installPlugin(paths, claude, environment), ...removeSettingsHooks(paths)],
    notes: [...notes, ...disabled],
  };
}

function twice(paths: Paths): string[] {
  return pluginState(paths) === "enabled" ? ["the plugin is installed too; while it is, its hooks do the work"] : [];
}

function labelChange(paths: Paths, label: string): Change {
  const file = homeRelative(paths.configFile, paths.home);
  return {
    what: `write ${file}: this machine is called ${label}`,
    done: `wrote ${file}`,
    apply: () => void changeConfig(paths, (config) => ({ ...config, label })),
  };
}
