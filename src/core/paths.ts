import { homedir, userInfo } from "node:os";
import path from "node:path";
import { sha256 } from "./sha256.ts";

/** The longest path that a Unix socket may have on every system we run on, in bytes (macOS: 104 with the final NUL). */
export const MAX_SOCKET_PATH_BYTES = 103;

const NAME = "claude-code-message";

/** Where everything of one user and one Claude config directory lives. */
export interface Paths {
  readonly home: string;
  readonly claudeConfig: string;
  /** `config.json` is in here. */
  readonly config: string;
  readonly configFile: string;
  /** Held while the configuration is changed. */
  readonly configLockFile: string;
  readonly state: string;
  readonly auditFile: string;
  readonly statusFile: string;
  readonly countersFile: string;
  readonly machineFile: string;
  /** One file a session that is in the chat: who it is and what it works on. */
  readonly rosterDirectory: string;
  /** One file a session: in which permission mode its hooks last saw it. */
  readonly permissionsDirectory: string;
  readonly logFile: string;
  readonly lockFile: string;
  readonly controlSocket: string;
  /** Executables that were pushed here, and what is prepared for pushing. */
  readonly cache: string;
  /** The local marketplace that `ccm init` writes for Claude Code, with the plugin in it. */
  readonly marketplace: string;
}

/**
 * All paths, from the environment alone. A relative or empty XDG variable counts as unset, as its specification says.
 * A second Claude config directory has state of its own under `profiles/<hash>`.
 */
export function resolvePaths(environment: NodeJS.ProcessEnv = process.env): Paths {
  const home = absolute(environment.HOME) ?? homedir();
  const defaultClaudeConfig = path.join(home, ".claude");
  const claudeConfig = path.resolve(environment.CLAUDE_CONFIG_DIR || defaultClaudeConfig);
  const profile = claudeConfig === defaultClaudeConfig ? "" : path.join("profiles", shortHash(claudeConfig));
  const config = path.join(absolute(environment.XDG_CONFIG_HOME) ?? path.join(home, ".config"), NAME, profile);
  const state = path.join(absolute(environment.XDG_STATE_HOME) ?? path.join(home, ".local", "state"), NAME, profile);
  return {
    home,
    claudeConfig,
    config,
    configFile: path.join(config, "config.json"),
    configLockFile: path.join(config, "config.lock"),
    state,
    auditFile: path.join(state, "audit.jsonl"),
    statusFile: path.join(state, "status.json"),
    countersFile: path.join(state, "counters.json"),
    machineFile: path.join(state, "machine.json"),
    rosterDirectory: path.join(state, "roster"),
    permissionsDirectory: path.join(state, "permissions"),
    logFile: path.join(state, "daemon.log"),
    lockFile: path.join(state, "daemon.lock"),
    controlSocket: controlSocket(state),
    cache: path.join(absolute(environment.XDG_CACHE_HOME) ?? path.join(home, ".cache"), NAME),
    marketplace: path.join(absolute(environment.XDG_DATA_HOME) ?? path.join(home, ".local", "share"), NAME, profile, "marketplace"),
  };
}

/** In the state directory, so that a login with other variables finds the same daemon; under /tmp only where that is too long. */
function controlSocket(state: string): string {
  const preferred = path.join(state, "daemon.sock");
  if (Buffer.byteLength(preferred) <= MAX_SOCKET_PATH_BYTES) return preferred;
  return path.join("/tmp", `ccm-${userInfo().uid}`, `${shortHash(state)}.sock`);
}

function absolute(value: string | undefined): string | undefined {
  return value && path.isAbsolute(value) ? value : undefined;
}

function shortHash(text: string): string {
  return sha256(text).slice(0, 12);
}
