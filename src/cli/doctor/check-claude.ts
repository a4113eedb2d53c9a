import path from "node:path";
import { readRegistry } from "../../claude/registry.ts";
import { isJsonObject } from "../../claude/session-record.ts";
import { readLightConfig } from "../../core/light-config.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { readFileIfPresent } from "../../core/private-file.ts";
import { chatMembers } from "../../members/chat-members.ts";
import { type Finding, ok, trouble } from "./finding.ts";

/** From the one that yields to the one that wins. */
function settingsFiles({ claudeConfig }: Paths): string[] {
  const managed = process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  return [path.join(claudeConfig, "settings.json"), path.join(managed, "managed-settings.json")];
}

/** What Claude Code does with messages of other sessions, as far as settings outside a project say. */
export function checkInbound(paths: Paths): Finding {
  const set = settingsFiles(paths).flatMap((file) => {
    const value = readSettings(file)["crossSessionInbound"];
    return typeof value === "string" ? [{ file, value }] : [];
  });
  const effective = set.at(-1);
  if (effective === undefined)
    return ok("inbound", "crossSessionInbound is not set: sessions of one permission class write to each other freely");
  const said = `crossSessionInbound is ${plainLine(effective.value, 40)} (${effective.file})`;
  if (effective.value === "accept") return ok("inbound", `${said}: everything is taken, also what would be held`);
  return trouble("warn", "inbound", said, { fix: "a project may set it too; take it out if messages do not arrive" });
}

/** Its protocol is internal to Claude Code: what one version says another may not understand. */
export function checkClaudeVersions(paths: Paths): Finding[] {
  const members = chatMembers(readEntries(paths), { machineLabel: readLightConfig(paths).label, attributesOf: () => ({}) });
  const versions = new Map<string, Set<string>>();
  for (const { machine, record } of members) {
    if (record.version !== undefined) versions.set(machine, (versions.get(machine) ?? new Set()).add(plainLine(record.version, 40)));
  }
  if (versions.size === 0) return [];
  const all = new Set([...versions.values()].flatMap((known) => [...known]));
  const detail = [...versions].map(([machine, known]) => `${machine} ${[...known].sort().join(" and ")}`).join(", ");
  if (all.size === 1) return [ok("claude_versions", detail)];
  return [
    trouble("warn", "claude_versions", `sessions run different versions: ${detail}`, {
      fix: "claude update where it is older, then start its sessions again",
    }),
  ];
}

function readEntries({ claudeConfig }: Paths) {
  try {
    return readRegistry(claudeConfig);
  } catch {
    // `registry` says so.
    return [];
  }
}

function readSettings(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileIfPresent(file) ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
