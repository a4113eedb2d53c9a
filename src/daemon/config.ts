import * as z from "zod";
import { CcmError } from "../core/errors.ts";
import { defaultLabel, isLabel, LABEL_RULE } from "../core/label.ts";
import { DEFAULT_PREVIEW_CHARACTERS } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import { ensurePrivateDirectory, readFileIfPresent, writePrivateFile } from "../core/private-file.ts";
import { takeKernelLock } from "./kernel-lock.ts";

/** A change takes milliseconds. */
const LOCK_WAIT_MS = 5_000;

const label = z.string().refine(isLabel, { error: `must be ${LABEL_RULE}` });

const peer = z.looseObject({
  /** As the person typed it: what ssh understands, an alias included. */
  host: z.string().min(1),
  label,
  /** Which ssh reaches it; chosen by its ssh configuration where this is not set. */
  transport: z.enum(["ssh", "ssh2"]).optional(),
});

/** `config.json`. Loose: what a newer build wrote there is kept when this one rewrites the file. */
export const configFile = z.looseObject({
  label: label.optional(),
  peers: z.array(peer).superRefine(refuseTwins).default([]),
  /** By a machine's label, whoever dials: `strip` takes its sessions' declarations that they bypass permission prompts away. */
  trust: z.record(z.string(), z.looseObject({ attest: z.enum(["pass", "strip"]).default("pass") })).default({}),
  /** How long the members of a lost machine stay listed, in seconds. */
  grace_seconds: z.int().min(0).max(86_400).default(300),
  /** How much of a message the audit file keeps, in characters; 0 keeps none. */
  audit_preview_chars: z.int().min(0).max(10_000).default(DEFAULT_PREVIEW_CHARACTERS),
});

export type Config = z.infer<typeof configFile>;
export type PeerConfig = z.infer<typeof peer>;
/** The file's content: a key that nobody set is not there. */
export type ConfigFile = z.input<typeof configFile>;

/** The configuration with defaults filled in. No file is an empty one. Throws `config_invalid`, `state_unusable`. */
export function readConfig(paths: Paths): Config {
  return check(paths, readJson(paths));
}

/**
 * Rewrites the file in one step by what `change` makes of its content, and returns the result with defaults. One process at a time does
 * so, and none loses what another wrote. Keys that this build does not know stay; a file that is invalid before or after the change is
 * left as it is and `config_invalid` thrown.
 */
export function changeConfig(paths: Paths, change: (current: ConfigFile) => ConfigFile): Config {
  ensurePrivateDirectory(paths.config);
  const lock = takeKernelLock(paths.configLockFile, { waitMs: LOCK_WAIT_MS });
  if (!lock) {
    throw new CcmError("state_unusable", `another ccm has been changing ${paths.configFile} for ${LOCK_WAIT_MS / 1000} s`, {
      hint: "try again",
    });
  }
  try {
    const current = readJson(paths);
    check(paths, current);
    const changed = change(current as ConfigFile);
    const config = check(paths, changed);
    writePrivateFile(paths.configFile, `${JSON.stringify(changed, undefined, 2)}\n`);
    return config;
  } finally {
    lock.release();
  }
}

/** What this machine calls itself. */
export function machineLabel(config: Pick<Config, "label">): string {
  return config.label ?? defaultLabel();
}

function readJson(paths: Paths): unknown {
  const text = readFileIfPresent(paths.configFile);
  if (text === undefined || text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(paths, error instanceof Error ? `not JSON: ${error.message}` : "not JSON");
  }
}

function check(paths: Paths, content: unknown): Config {
  const result = configFile.safeParse(content);
  if (result.success) return result.data;
  throw invalid(paths, result.error.issues.map(describeIssue).join("; "));
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const key = issue.path.reduce<string>((text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${String(part)}`), "");
  const problem = issue.message.replace(/^Invalid input: /, "");
  return key === "" ? problem : `${key.replace(/^\./, "")}: ${problem}`;
}

function invalid(paths: Paths, problem: string): CcmError {
  return new CcmError("config_invalid", `${paths.configFile}: ${plainLine(problem, 300)}`, {
    hint: "mend that line of the file, or remove the file and start with `ccm init`",
  });
}

function refuseTwins(peers: readonly z.infer<typeof peer>[], context: z.RefinementCtx): void {
  for (const [index, { label }] of peers.entries()) {
    if (peers.findIndex((other) => other.label === label) === index) continue;
    context.addIssue({ code: "custom", path: [index, "label"], message: `another peer is called ${label} already` });
  }
}
