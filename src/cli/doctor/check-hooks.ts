import fs from "node:fs";
import path from "node:path";
import type { Paths } from "../../core/paths.ts";
import { readFileIfPresent } from "../../core/private-file.ts";
import { isPluginEnabled } from "../../hooks/plugin-enabled.ts";
import { pluginState } from "../init/plugin-installation.ts";
import { hasSettingsHooks } from "../init/settings-hooks.ts";
import { type Finding, ok, trouble } from "./finding.ts";

const CHECK = "hooks";
/** The file that each hook command asks for before it runs it. */
const PROGRAM = /\[ -x '((?:[^']|'\\\\?'')*)' \]/;

/** Sessions join, show tasks and declare their modes only by their hooks: these are installed, once, and lead to a program that is there. */
export function checkHooks(paths: Paths): Finding[] {
  const fromPlugin = isPluginEnabled(paths);
  const fromSettings = hasSettingsHooks(paths);
  if (!fromPlugin && !fromSettings) return [missing(paths)];
  const file = fromPlugin ? path.join(paths.marketplace, "ccm", "hooks", "hooks.json") : path.join(paths.claudeConfig, "settings.json");
  const program = PROGRAM.exec(readText(file) ?? "")?.[1]
    ?.replaceAll("'\\\\''", "'")
    .replaceAll("'\\''", "'");
  const findings = [checkProgram(file, program, fromPlugin ? "the plugin is enabled" : "they are in settings.json")];
  if (fromPlugin && fromSettings) {
    findings.push(
      trouble("warn", CHECK, "they are in settings.json as well; the plugin's do the work", { fix: "ccm init takes them out there" }),
    );
  }
  return findings;
}

function missing(paths: Paths): Finding {
  if (pluginState(paths) === "disabled") {
    return trouble("warn", CHECK, "the plugin is switched off: no session joins or shows its task", {
      fix: "claude plugin enable ccm@ccm",
    });
  }
  return trouble("warn", CHECK, "they are not installed: no session joins or shows its task", {
    fix: "ccm init, or ccm init --hooks=settings",
  });
}

function checkProgram(file: string, program: string | undefined, where: string): Finding {
  if (program === undefined) return trouble("fail", CHECK, `${where}, but ${file} names no program`, { fix: "ccm init" });
  if (fs.existsSync(program)) return ok(CHECK, `${where}; they run ${program}`);
  return trouble("fail", CHECK, `${where}, but ${program} is gone, and they do nothing`, {
    fix: "put ccm there, or ccm init from where it is now",
  });
}

function readText(file: string): string | undefined {
  try {
    return readFileIfPresent(file);
  } catch {
    return undefined;
  }
}
