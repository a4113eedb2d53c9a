import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../claude/session-record.ts";
import { CcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { ensurePrivateDirectory, readFileIfPresent, writePrivateFile } from "../../core/private-file.ts";
import { hookSettings, SETTINGS_MARK } from "../../hooks/hook-commands.ts";
import { homeRelative } from "../output/home-relative.ts";
import type { Change } from "./change.ts";

type Json = Record<string, unknown>;

/** What was not in settings.json before our hooks were, so that they can be taken out without a trace. */
interface Addition {
  readonly createdFile: boolean;
  readonly createdHooks: boolean;
  readonly createdEvents: readonly string[];
}

/** Whether hooks of ours stand in settings.json. */
export function hasSettingsHooks(paths: Paths): boolean {
  return readFileIfPresent(settingsFile(paths))?.includes(SETTINGS_MARK) ?? false;
}

/** Puts the hooks beside those that are there, in place of older ones of ours. Throws `config_invalid` for a file that is no settings. */
export function addSettingsHooks(paths: Paths, program: readonly string[]): Change[] {
  const before = readSettings(paths);
  const known = hasSettingsHooks(paths) ? readAddition(paths) : undefined;
  const bare = withoutOurs(before.settings, known);
  const after = withOurs(bare, program);
  if (before.exists && isDeepStrictEqual(before.settings, after)) return [];
  const addition: Addition = { createdFile: known?.createdFile ?? !before.exists, ...additionTo(bare) };
  const where = homeRelative(settingsFile(paths), paths.home);
  return [
    {
      what: `put the hooks into ${where}`,
      done: `put the hooks into ${where}`,
      apply() {
        ensurePrivateDirectory(paths.state);
        writePrivateFile(additionFile(paths), `${JSON.stringify(addition)}\n`);
        writeSettings(paths, after, before);
      },
    },
  ];
}

/** Takes out what was put in and nothing else; a file that was made for it and holds nothing else goes. */
export function removeSettingsHooks(paths: Paths): Change[] {
  if (!hasSettingsHooks(paths)) return [];
  const before = readSettings(paths);
  const addition = readAddition(paths);
  const after = withoutOurs(before.settings, addition);
  const where = homeRelative(settingsFile(paths), paths.home);
  return [
    {
      what: `take the hooks out of ${where}`,
      done: `took the hooks out of ${where}`,
      apply() {
        if (addition?.createdFile && Object.keys(after).length === 0) fs.rmSync(settingsFile(paths));
        else writeSettings(paths, after, before);
        fs.rmSync(additionFile(paths), { force: true });
      },
    },
  ];
}

function withOurs(settings: Json, program: readonly string[]): Json {
  const hooks = isJsonObject(settings["hooks"]) ? settings["hooks"] : {};
  const ours = Object.entries(hookSettings(program, "settings"));
  return {
    ...settings,
    hooks: { ...hooks, ...Object.fromEntries(ours.map(([event, groups]) => [event, [...groupsOf(hooks, event), ...groups]])) },
  };
}

/** `addition` undefined: what is empty after it was ours, as far as is known. */
function withoutOurs(settings: Json, addition: Addition | undefined): Json {
  if (!isJsonObject(settings["hooks"])) return settings;
  const events = Object.entries(settings["hooks"]).flatMap(([event, groups]): [string, unknown][] => {
    if (!Array.isArray(groups)) return [[event, groups]];
    const kept = groups.flatMap(withoutOurCommands);
    const isOurs = kept.length === 0 && groups.length > 0 && (addition?.createdEvents.includes(event) ?? true);
    return isOurs ? [] : [[event, kept]];
  });
  const { hooks: _ours, ...others } = settings;
  const isEmpty = events.length === 0 && Object.keys(settings["hooks"]).length > 0 && (addition?.createdHooks ?? true);
  // In its old place among the keys.
  return isEmpty ? others : { ...settings, hooks: Object.fromEntries(events) };
}

function withoutOurCommands(group: unknown): unknown[] {
  if (!isJsonObject(group) || !Array.isArray(group["hooks"])) return [group];
  const kept = group["hooks"].filter((hook) => !isOurs(hook));
  if (kept.length === group["hooks"].length) return [group];
  return kept.length === 0 ? [] : [{ ...group, hooks: kept }];
}

function isOurs(hook: unknown): boolean {
  return isJsonObject(hook) && typeof hook["command"] === "string" && hook["command"].endsWith(SETTINGS_MARK);
}

function additionTo(bare: Json): Omit<Addition, "createdFile"> {
  const hooks = bare["hooks"];
  const present = isJsonObject(hooks) ? Object.keys(hooks) : [];
  return {
    createdHooks: !isJsonObject(hooks),
    createdEvents: Object.keys(hookSettings([], "settings")).filter((event) => !present.includes(event)),
  };
}

function groupsOf(hooks: Json, event: string): readonly unknown[] {
  const groups = hooks[event];
  return Array.isArray(groups) ? groups : [];
}

interface ReadSettings {
  readonly exists: boolean;
  readonly text: string;
  readonly settings: Json;
}

function readSettings(paths: Paths): ReadSettings {
  const file = settingsFile(paths);
  const text = readFileIfPresent(file);
  try {
    const settings: unknown = JSON.parse(text?.trim() ? text : "{}");
    if (isJsonObject(settings) && (settings["hooks"] === undefined || isJsonObject(settings["hooks"]))) {
      return { exists: text !== undefined, text: text ?? "", settings };
    }
  } catch {
    // Said below.
  }
  throw new CcmError("config_invalid", `${file} is not a settings file that Claude Code would read`, {
    hint: "mend it; nothing was changed",
  });
}

/** Where a link leads, as people keep their settings elsewhere; in the file's own indentation, with its mode. */
function writeSettings(paths: Paths, settings: Json, { exists, text }: ReadSettings): void {
  const file = settingsFile(paths);
  if (!exists) ensurePrivateDirectory(path.dirname(file));
  const target = exists ? fs.realpathSync(file) : file;
  const indentation = /^[[{]\s*\n([ \t]+)/.exec(text)?.[1] ?? (text.includes("\n") || !exists ? "  " : undefined);
  const mode = exists ? fs.statSync(target).mode & 0o777 : 0o600;
  const ending = !exists || text.endsWith("\n") ? "\n" : "";
  writePrivateFile(target, `${JSON.stringify(settings, undefined, indentation)}${ending}`, mode);
}

function readAddition(paths: Paths): Addition | undefined {
  try {
    return JSON.parse(readFileIfPresent(additionFile(paths)) ?? "") as Addition;
  } catch {
    return undefined;
  }
}

function settingsFile({ claudeConfig }: Paths): string {
  return path.join(claudeConfig, "settings.json");
}

function additionFile({ state }: Paths): string {
  return path.join(state, "settings-hooks.json");
}
