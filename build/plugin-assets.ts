import fs from "node:fs";
import path from "node:path";
import { root } from "./runtime.ts";

const PLUGIN = path.join(root, "src", "plugin");

/** The files of the plugin by their asset name, under `plugin/`, where `src/hooks/plugin-files.ts` looks for them. */
export function pluginAssets(): Record<string, string> {
  const names = fs.readdirSync(PLUGIN, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => fs.statSync(path.join(PLUGIN, name)).isFile());
  return Object.fromEntries(files.map((name) => [`plugin/${name.split(path.sep).join("/")}`, path.join(PLUGIN, name)]));
}

/** All of it as text, for the build id. */
export function pluginText(): string {
  return Object.entries(pluginAssets())
    .map(([name, file]) => `${name}\n${fs.readFileSync(file, "utf8")}`)
    .join("\n");
}
