import type { Host } from "../../hosts/harness/host.ts";
import { standInKey } from "./fetch-claude.ts";

/**
 * Marks a home as one whose person has answered Claude Code's first-run questions, for the working directory `cwd`. A Claude
 * Code that runs already may write its older idea of the trusted directories over it; its dialog is then answered on screen.
 */
export function prepareClaudeHome(host: Host, cwd: string, configDirectory: string | undefined): void {
  const stateFile = `${configDirectory ?? host.home}/.claude.json`;
  const state = readJson(host, stateFile);
  const projects = (state["projects"] ?? {}) as Record<string, object>;
  const trusted = { ...projects[cwd], hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  writeJson(host, stateFile, {
    ...state,
    hasCompletedOnboarding: true,
    theme: "dark",
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [standInKey.slice(-20)], rejected: [] },
    projects: { ...projects, [cwd]: trusted },
  });
  const settingsFile = `${configDirectory ?? `${host.home}/.claude`}/settings.json`;
  writeJson(host, settingsFile, {
    ...readJson(host, settingsFile),
    skipDangerousModePermissionPrompt: true,
    // Auto mode asks a server whether a tool call is safe, and there is none here.
    permissions: { allow: ["SendMessage", "ListAgents"] },
  });
}

function readJson(host: Host, file: string): Record<string, unknown> {
  return host.exists(file) ? JSON.parse(host.readFile(file)) : {};
}

function writeJson(host: Host, file: string, value: object): void {
  host.putFile(file, JSON.stringify(value, null, 2), 0o600);
}
