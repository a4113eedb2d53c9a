import fs from "node:fs";
import path from "node:path";
import { sha256 } from "../core/sha256.ts";

export const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/** Claude Code accepts the look of it; nothing ever checks it. */
const STAND_IN_KEY = `sk-ant-api03-${sha256("stand-in")}`;

/** All at once, before any session runs: one that runs would write its older idea of what is trusted over a later one. */
const SESSION_NAMES = ["asking", "bold", "passing", ...Array.from({ length: 9 }, (_, index) => `extra-${index + 1}`)];
/** Claude Code takes files where its vendor's server says so, and remembers what that said; it believes this where {@link MEMORY} is set. */
const REMEMBERED = { tengu_send_file: true };
const MEMORY = { CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF: "1" };
const TRUSTED = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };

/** What the longest socket path has behind the directory. */
export const LONGEST_SOCKET = "/run/cc-socks/4194304.sock";

/** A home, a config directory and a directory for sockets under a throwaway directory, for sessions whose person has answered all first questions. */
export class SelftestHome {
  readonly claudeConfig: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly #work: string;

  constructor(directory: string) {
    this.#work = path.join(directory, "work");
    this.claudeConfig = path.join(directory, "claude");
    const [home, runtime] = [path.join(directory, "home"), path.join(directory, "run")];
    for (const made of [home, runtime, this.claudeConfig]) fs.mkdirSync(made, { mode: 0o700 });
    const own = (process.env.PATH ?? "").split(path.delimiter).filter(path.isAbsolute);
    // From nothing, so that no variable of the person, or of a session that this runs in, leads out of here.
    this.environment = {
      HOME: home,
      CLAUDE_CONFIG_DIR: this.claudeConfig,
      XDG_RUNTIME_DIR: runtime,
      CLAUDE_CODE_TMPDIR: runtime,
      TMPDIR: runtime,
      PATH: [...new Set([...own, ...SYSTEM_PATH])].join(path.delimiter),
      SHELL: "/bin/sh",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
    };
    writeJson(path.join(this.claudeConfig, ".claude.json"), {
      cachedGrowthBookFeatures: REMEMBERED,
      cachedFeatureFlags: REMEMBERED,
      hasCompletedOnboarding: true,
      theme: "dark",
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: [STAND_IN_KEY.slice(-20)], rejected: [] },
      projects: Object.fromEntries(SESSION_NAMES.map((name) => [path.join(this.#work, name), TRUSTED])),
    });
    writeJson(path.join(this.claudeConfig, "settings.json"), {
      skipDangerousModePermissionPrompt: true,
      permissions: { allow: ["SendMessage", "ListAgents"] },
    });
  }

  /** A working directory for the session of that name. */
  project(name: string): string {
    const directory = path.join(this.#work, name);
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  }

  /** What a session needs more, to have that model and no way out but to it; and to take files. */
  sessionEnvironment(modelUrl: string, { takesFiles = false } = {}): NodeJS.ProcessEnv {
    const proxy = new URL(modelUrl).origin;
    return {
      ...this.environment,
      ...(takesFiles ? MEMORY : {}),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: STAND_IN_KEY,
      HTTPS_PROXY: proxy,
      HTTP_PROXY: proxy,
      NO_PROXY: "127.0.0.1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Else it refuses to bypass permission prompts for root, who may be all that a container has.
      IS_SANDBOX: "1",
    };
  }
}

function writeJson(file: string, value: object): void {
  fs.writeFileSync(file, JSON.stringify(value), { mode: 0o600 });
}
