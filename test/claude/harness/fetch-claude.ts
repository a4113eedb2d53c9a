import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { findTool, requireTool, whyNoHosts } from "../../hosts/harness/prerequisites.ts";
import { runChecked, runCommand } from "../../hosts/harness/run-command.ts";

/** One Claude Code per wire behaviour that people still run: with and without what came in between. */
export const claudeVersions = ["2.1.282", "2.1.332"] as const;
/** Those that the protocol page speaks of: also the one that the protocol was first read from. */
export const protocolVersions = ["2.1.269", ...claudeVersions] as const;

const PACKAGE = "@anthropic-ai/claude-code";
const CACHE = path.join(os.homedir(), ".cache", "ccm-test", "claude");

/**
 * The executable of real Claude Code, from npm as it is configured here, installed once and kept between runs. Two test processes
 * may ask at the same time: each installs beside the final place, and the first to finish wins.
 */
export async function fetchClaude(version: string): Promise<string> {
  const installed = path.join(CACHE, version);
  if (!fs.existsSync(installed)) await install(version, installed);
  const scope = path.join(installed, "node_modules", path.dirname(PACKAGE));
  const native = path.join(scope, `claude-code-linux-${process.arch}`, "claude");
  fs.accessSync(native, fs.constants.X_OK);
  return native;
}

async function install(version: string, target: string): Promise<void> {
  fs.mkdirSync(CACHE, { recursive: true });
  const temporary = fs.mkdtempSync(path.join(CACHE, `.${version}-`));
  try {
    fs.writeFileSync(path.join(temporary, "package.json"), '{ "private": true }');
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", `${PACKAGE}@${version}`];
    await runChecked(requireTool("npm"), args, { cwd: temporary, env: process.env, timeoutMs: 300_000 });
    if (!fs.existsSync(target)) fs.renameSync(temporary, target);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** Why real Claude Code cannot run on test hosts here, or false where it can. */
export async function whyNoClaude(): Promise<string | false> {
  const noHosts = whyNoHosts();
  if (noHosts !== false) return noHosts;
  const missing = ["tmux", "npm"].filter((tool) => findTool(tool) === undefined);
  if (missing.length > 0) return `real Claude Code needs ${missing.join(", ")}`;
  for (const version of claudeVersions) {
    const noVersion = await whyNoVersion(version);
    if (noVersion !== false) return noVersion;
  }
  return false;
}

/** Why that version cannot run on this machine itself, or false where it can. */
export async function whyNoVersion(version: string): Promise<string | false> {
  if (fs.existsSync(path.join(CACHE, version))) return false;
  if (findTool("npm") === undefined) return "real Claude Code needs npm";
  const view = await runCommand(requireTool("npm"), ["view", `${PACKAGE}@${version}`, "version"], { env: process.env });
  return view.stdout.trim() === version ? false : `npm cannot give ${PACKAGE}@${version} here`;
}

/** A key that Claude Code accepts the look of; nothing ever checks it. */
export const standInKey = `sk-ant-api03-${createHash("sha256").update("stand-in").digest("hex")}`;
