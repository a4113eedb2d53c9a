import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Argv, CommandModule } from "yargs";
import { CcmError } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { ensurePrivateDirectory, readFileIfPresent, writePrivateFile } from "../../core/private-file.ts";
import { type ConfigFile, changeConfig, readConfig } from "../../daemon/config.ts";
import { readSetting, requireSetting, settings, withSetting } from "../config/settings.ts";
import { reloadDaemon } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { renderTable } from "../output/table.ts";

interface Arguments {
  readonly action: "list" | "get" | "set" | "edit";
  readonly key: string | undefined;
  readonly value: string | undefined;
  readonly json: boolean;
}

export const config: CommandModule<object, Arguments> = {
  command: "config <action> [key] [value]",
  describe: "Show and change the settings of this machine: list, get, set, edit",
  builder: (yargs: Argv) =>
    yargs
      .positional("action", { choices: ["list", "get", "set", "edit"] as const, demandOption: true, describe: "What to do" })
      .positional("key", { type: "string", describe: "For get and set: a setting that `ccm config list` shows" })
      .positional("value", { type: "string", describe: "For set; `default` takes the setting out of the file" })
      .options(jsonOption)
      .example("ccm config set audit_preview_chars 0", ""),
  async handler({ action, key, value, json }) {
    const paths = resolvePaths();
    if (action === "list") return list(paths, json);
    if (action === "edit") return await edit(paths);
    const name = requireSetting(key);
    if (action === "get") return get(paths, name, json);
    if (value === undefined) throw new CcmError("usage", "config set: the value is missing", { hint: `ccm config set ${name} VALUE` });
    changeConfig(paths, (current) => withSetting(current, name, value));
    await reloadDaemon(paths);
    get(paths, name, json);
  },
};

function list(paths: Paths, json: boolean): void {
  const content = readConfig(paths);
  const raw: unknown = JSON.parse(readFileIfPresent(paths.configFile) || "{}");
  if (json) return printJson({ configFile: paths.configFile, settings: content });
  const rows = Object.entries(settings).map(([name, { about }]) => {
    const isSet = typeof raw === "object" && raw !== null && name in raw;
    return [name, `${JSON.stringify(readSetting(content, name)) ?? ""}${isSet ? "" : " (default)"}`, about];
  });
  print(renderTable(rows));
}

function get(paths: Paths, name: string, json: boolean): void {
  const value = readSetting(readConfig(paths), name);
  if (json) return printJson({ [name]: value });
  print(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

/** In a copy that takes the file's place only when it is valid; until then it stays, for another try. */
async function edit(paths: Paths): Promise<void> {
  const editor = process.env.VISUAL || process.env.EDITOR || "vi";
  const draft = path.join(paths.config, "config.json.draft");
  ensurePrivateDirectory(paths.config);
  if (!fs.existsSync(draft)) writePrivateFile(draft, readFileIfPresent(paths.configFile) || "{}\n");
  const { status, error } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", draft], { stdio: "inherit" });
  if (error || status !== 0)
    throw new CcmError("usage", `the editor (${plainLine(editor, 80)}) failed; nothing was changed`, { hint: "set EDITOR" });
  changeConfig(paths, () => parseDraft(draft));
  fs.rmSync(draft);
  await reloadDaemon(paths);
  print(`wrote ${paths.configFile}`);
}

function parseDraft(draft: string): ConfigFile {
  try {
    const content: unknown = JSON.parse(fs.readFileSync(draft, "utf8"));
    if (typeof content === "object" && content !== null && !Array.isArray(content)) return { ...content };
    throw new Error("it is no JSON object");
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CcmError("config_invalid", `nothing was changed: ${plainLine(problem)}`, { hint: `ccm config edit goes on with ${draft}` });
  }
}
