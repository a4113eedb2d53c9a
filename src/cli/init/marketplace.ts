import fs from "node:fs";
import path from "node:path";
import type { Paths } from "../../core/paths.ts";
import { ensurePrivateDirectory, readFileIfPresent, writePrivateFile } from "../../core/private-file.ts";
import { pluginFiles } from "../../hooks/plugin-files.ts";
import { homeRelative } from "../output/home-relative.ts";
import { count } from "../output/units.ts";
import type { Change } from "./change.ts";

/** Brings the marketplace directory to what this executable carries. Claude Code reads it in place, at each start of a session. */
export function marketplaceChanges(paths: Paths, program: readonly string[]): Change[] {
  const wanted = pluginFiles(program);
  const stale = existingFiles(paths.marketplace).filter((name) => !wanted.has(name));
  const changed = [...wanted].filter(([name, content]) => readFileIfPresent(path.join(paths.marketplace, name)) !== content);
  if (stale.length + changed.length === 0) return [];
  const where = `the plugin to ${homeRelative(paths.marketplace, paths.home)} (${count(changed.length + stale.length, "file")})`;
  return [
    {
      what: `write ${where}`,
      done: `wrote ${where}`,
      apply() {
        for (const name of stale) fs.rmSync(path.join(paths.marketplace, name), { force: true });
        for (const [name, content] of changed) writeFile(path.join(paths.marketplace, name), content);
      },
    },
  ];
}

export function removeMarketplace(paths: Paths): Change[] {
  if (!fs.existsSync(paths.marketplace)) return [];
  const where = homeRelative(paths.marketplace, paths.home);
  return [
    {
      what: `remove ${where}`,
      done: `removed ${where}`,
      apply: () => fs.rmSync(paths.marketplace, { recursive: true, force: true }),
    },
  ];
}

function existingFiles(directory: string): string[] {
  if (!fs.existsSync(directory)) return [];
  const names = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => fs.statSync(path.join(directory, name)).isFile()).map((name) => name.split(path.sep).join("/"));
}

function writeFile(file: string, content: string): void {
  ensurePrivateDirectory(path.dirname(file));
  writePrivateFile(file, content);
}
