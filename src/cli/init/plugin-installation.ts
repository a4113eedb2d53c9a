import path from "node:path";
import { isJsonObject } from "../../claude/session-record.ts";
import type { Paths } from "../../core/paths.ts";
import { readFileIfPresent } from "../../core/private-file.ts";
import { PLUGIN_ID } from "../../hooks/plugin-enabled.ts";
import type { Change } from "./change.ts";
import { runClaude } from "./claude-command.ts";

const [, MARKETPLACE = ""] = PLUGIN_ID.split("@");

/** `disabled`: it is installed, and its person has switched it off. */
export type PluginState = "enabled" | "disabled" | "absent";

/** As the user's settings.json has it. */
export function pluginState({ claudeConfig }: Pick<Paths, "claudeConfig">): PluginState {
  const enabled = readJson(path.join(claudeConfig, "settings.json"))["enabledPlugins"];
  const value = isJsonObject(enabled) ? enabled[PLUGIN_ID] : undefined;
  return value === undefined ? "absent" : value === false ? "disabled" : "enabled";
}

/** Where Claude Code believes our marketplace to be. */
function knownMarketplace({ claudeConfig }: Paths): string | undefined {
  const known = readJson(path.join(claudeConfig, "plugins", "known_marketplaces.json"))[MARKETPLACE];
  const source = isJsonObject(known) ? known["source"] : undefined;
  return isJsonObject(source) && typeof source["path"] === "string" ? source["path"] : undefined;
}

/** Has Claude Code install the plugin from the marketplace that is written before. One that its person switched off stays so. */
export function installPlugin(paths: Paths, claude: string, environment: NodeJS.ProcessEnv): Change[] {
  const run = (...args: string[]) => claudeChange(claude, ["plugin", ...args], environment);
  const known = knownMarketplace(paths);
  return [
    ...(known !== undefined && known !== paths.marketplace ? [run("marketplace", "remove", MARKETPLACE)] : []),
    ...(known !== paths.marketplace ? [run("marketplace", "add", paths.marketplace)] : []),
    ...(pluginState(paths) === "absent" ? [run("install", PLUGIN_ID)] : []),
  ];
}

export function uninstallPlugin(paths: Paths, claude: string, environment: NodeJS.ProcessEnv): Change[] {
  const run = (...args: string[]) => claudeChange(claude, ["plugin", ...args], environment);
  return [
    ...(pluginState(paths) === "absent" ? [] : [run("uninstall", PLUGIN_ID)]),
    ...(knownMarketplace(paths) === undefined ? [] : [run("marketplace", "remove", MARKETPLACE)]),
  ];
}

function claudeChange(claude: string, args: readonly string[], environment: NodeJS.ProcessEnv): Change {
  const command = `claude ${args.join(" ")}`;
  return { what: `run ${command}`, done: `ran ${command}`, apply: () => runClaude(claude, args, environment) };
}

function readJson(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileIfPresent(file) ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
