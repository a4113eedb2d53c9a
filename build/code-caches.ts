import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { REPRODUCIBLE } from "./blob.ts";
import { type BundleName, codeCacheAsset, rehearsedUses } from "./packed-bundle.ts";
import { inRehearsalHome, type RehearsalHome } from "./rehearsal-home.ts";
import type { Runtime } from "./runtime.ts";

/** A rehearsal takes a tenth of a second. */
const DEADLINE_MS = 60_000;

/** For starts that read and write nothing. No directory of the build: what runs, and so is compiled, depends on how long a path is. */
const NO_HOME = "/nonexistent";
const noHome: NodeJS.ProcessEnv = { HOME: NO_HOME, XDG_RUNTIME_DIR: NO_HOME, TMPDIR: NO_HOME, PATH: "" };

/** In `directory`, where the bundles are, the compiled forms that the runtime makes of them; empty ones for a runtime of another platform. */
export async function makeCodeCaches(directory: string, runtime: Runtime, native: boolean): Promise<readonly string[]> {
  const files = (Object.keys(rehearsedUses) as BundleName[]).flatMap((name) => rehearsedUses[name].map((use) => codeCacheAsset(name, use)));
  for (const file of files) fs.writeFileSync(path.join(directory, file), "");
  if (native) await inRehearsalHome((home) => rehearse(directory, runtime, home));
  return files;
}

async function rehearse(directory: string, runtime: Runtime, home: RehearsalHome): Promise<void> {
  const play = async (name: BundleName, words: readonly string[], { env = noHome, ...input }: Part = {}) => {
    const cache = codeCacheAsset(name, words[0]);
    await runTo(runtime.file, [REPRODUCIBLE, REHEARSE, name, cache, ...words], { directory, env, ...input });
    await runTo(runtime.file, [REHEARSE, name, cache], { directory, env });
  };
  const { env } = home;
  await play("main", ["--version"]);
  for (const { event, input } of home.hooks) await play("main", ["hook", event], { env, input });
  for (const colleague of home.colleagues) await play("main", ["send", colleague, "the schema is merged"], { env });
  await play("main", ["mirror"], { env, ...home.mirror });
  // What nearly every other command shares with it.
  await play("command-line", ["status"]);
}

interface Part {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** What it has printed when its stdin ends; it ends at once otherwise. */
  readonly until?: string;
}

const REHEARSE = path.join(import.meta.dirname, "rehearse.ts");

/** Rejects with what it printed unless it ends with exit code 0 and has printed `until`: a mirror ends well in any case. */
async function runTo(
  file: string,
  args: readonly string[],
  { directory, env, input = "", until = "" }: Part & { readonly directory: string },
): Promise<void> {
  const child = spawn(file, args, { cwd: directory, env, timeout: DEADLINE_MS, stdio: "pipe" });
  let output = "";
  const ended = once(child, "close");
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  let isOver = false;
  const over = ended.then(() => {
    isOver = true;
  });
  child.stdin.on("error", () => {}).write(input);
  while (!output.includes(until) && !isOver) await Promise.race([once(child.stdout, "data"), over]);
  child.stdin.end();
  const [exitCode, signal] = await ended;
  if (exitCode === 0 && output.includes(until)) return;
  throw new Error(`rehearsal of ${args.slice(2).join(" ")}: ${signal ?? `exit code ${exitCode}`}\n${output}`);
}
