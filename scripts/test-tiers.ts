import fs from "node:fs";
import path from "node:path";

export interface Tier {
  readonly name: string;
  readonly what: string;
  /** The commands, one after the other, with `node_modules/.bin` first on PATH. */
  commands(root: string): readonly (readonly string[])[];
  /** Why this machine cannot run it, if it cannot. */
  unavailable?(): string | undefined;
}

/** No test file takes this long: one that does hangs. */
const FILE_TIMEOUT_MS = 120_000;
/** Most of these tests wait for processes, so more run at once than there are cores. */
const FROM_SOURCE_AT_ONCE = 4;
const HOSTS_FILE_TIMEOUT_MS = 600_000;

export const tiers: readonly Tier[] = [
  {
    name: "check",
    what: "formatting, lint and types",
    commands: () => [
      ["biome", "check", "."],
      ["tsc", "-p", "."],
    ],
  },
  {
    name: "quick",
    what: "unit tests from source",
    commands: () => [nodeTest("test/unit/**/*.test.ts", FILE_TIMEOUT_MS, FROM_SOURCE_AT_ONCE)],
  },
  {
    name: "processes",
    what: "many processes of the program, run from source, and of ssh",
    commands: () => [nodeTest("test/processes/**/*.test.ts", FILE_TIMEOUT_MS, FROM_SOURCE_AT_ONCE)],
  },
  {
    name: "build",
    what: "the executable, built and tested",
    commands: () => [["node", "build/build.ts"], nodeTest("test/executable/**/*.test.ts", FILE_TIMEOUT_MS)],
  },
  {
    name: "release",
    what: "executables for all targets, and what is published",
    commands: () => [["node", "build/release.ts", "--build"], nodeTest("test/release/**/*.test.ts", HOSTS_FILE_TIMEOUT_MS, 1)],
    unavailable: () => noCommand("npm", "tar", "sha256sum"),
  },
  {
    name: "hosts",
    what: "several hosts on this machine, with real sshd",
    commands: () => [nodeTest("test/hosts/**/*.test.ts", HOSTS_FILE_TIMEOUT_MS, 1)],
    unavailable: () => noTests("hosts") ?? noHosts(),
  },
  {
    name: "fuzz",
    what: "hostile lines at everything that reads what others wrote",
    commands: () => [nodeTest("test/fuzz/**/*.test.ts", FILE_TIMEOUT_MS, 1)],
  },
  {
    name: "chaos",
    what: "faults under traffic: what is lost is told, and nothing is left behind",
    commands: () => [nodeTest("test/chaos/**/*.test.ts", HOSTS_FILE_TIMEOUT_MS, 1)],
    unavailable: () => noTests("chaos") ?? noHosts(),
  },
  {
    name: "fleet",
    what: "installing, rolling out and upgrading on such hosts",
    commands: () => [nodeTest("test/fleet/**/*.test.ts", HOSTS_FILE_TIMEOUT_MS, 1)],
    unavailable: () => noTests("fleet") ?? noHosts(),
  },
  {
    name: "claude",
    what: "real Claude Code sessions on those hosts",
    commands: () => [nodeTest("test/claude/**/*.test.ts", HOSTS_FILE_TIMEOUT_MS, 1)],
    unavailable: () => noTests("claude") ?? noHosts() ?? noCommand("tmux", "npm"),
  },
];

/** The named tiers in the order of the table, all for `all`. Throws for a name that is none. */
export function findTiers(names: readonly string[]): readonly Tier[] {
  const known = [...tiers.map((tier) => tier.name), "all"];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined || names.length === 0) throw new Error(`tiers are ${known.join(", ")}${unknown ? `, not ${unknown}` : ""}`);
  return names.includes("all") ? tiers : tiers.filter((tier) => names.includes(tier.name));
}

function nodeTest(pattern: string, timeoutMs: number, atOnce?: number): readonly string[] {
  const concurrency = atOnce === undefined ? [] : [`--test-concurrency=${atOnce}`];
  return [
    "node",
    "--import",
    "./test/support/leave-in-time.ts",
    "--test",
    "--test-reporter=spec",
    `--test-timeout=${timeoutMs}`,
    ...concurrency,
    pattern,
  ];
}

function noTests(name: string): string | undefined {
  return fs.existsSync(path.join(import.meta.dirname, "..", "test", name)) ? undefined : `there is no test/${name}`;
}

/** Hosts are network and process namespaces joined by a bridge. */
function noHosts(): string | undefined {
  if (process.platform !== "linux") return "needs Linux";
  if (process.getuid?.() !== 0) return "needs root";
  return noCommand("ip", "unshare", "nsenter", "sshd", "ssh");
}

function noCommand(...names: readonly string[]): string | undefined {
  const directories = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/sbin"];
  const missing = names.filter((name) => !directories.some((directory) => fs.existsSync(path.join(directory, name))));
  return missing.length === 0 ? undefined : `needs ${missing.join(", ")}`;
}
