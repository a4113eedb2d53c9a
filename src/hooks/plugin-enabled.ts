import fs from "node:fs";
import path from "node:path";
import { isJsonObject } from "../claude/session-record.ts";
import type { Paths } from "../core/paths.ts";
import { readFileIfPresent } from "../core/private-file.ts";

/** As `claude plugin install` takes it and `enabledPlugins` has it: the plugin, and the marketplace that `ccm init` writes. */
export const PLUGIN_ID = "ccm@ccm";

/**
 * Whether a hook that stands in settings.json leaves its work to the plugin's, so that everything is recorded once where both are
 * installed. A plugin that is enabled and whose files are gone does no work.
 */
export function isLeftToPlugin(paths: Pick<Paths, "claudeConfig" | "marketplace">): boolean {
  return isPluginEnabled(paths) && fs.existsSync(path.join(paths.marketplace, "ccm", "hooks", "hooks.json"));
}

/** As the user's settings.json says, which is where `claude plugin install` and `/plugin` write it. */
export function isPluginEnabled({ claudeConfig }: Pick<Paths, "claudeConfig">): boolean {
  try {
    const settings: unknown = JSON.parse(readFileIfPresent(path.join(claudeConfig, "settings.json")) ?? "{}");
    const enabled = isJsonObject(settings) ? settings["enabledPlugins"] : undefined;
    return isJsonObject(enabled) && enabled[PLUGIN_ID] === true;
  } catch {
    return false;
  }
}
