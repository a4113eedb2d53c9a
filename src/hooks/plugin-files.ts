import fs from "node:fs";
import path from "node:path";
import { getAsset, getAssetKeys, isSea } from "node:sea";
import { buildInfo } from "../core/build-info.ts";
import { hookSettings } from "./hook-commands.ts";

/** Before the names of the plugin's files among the executable's assets. */
const ASSET_PREFIX = "plugin/";
const MANIFEST = "ccm/.claude-plugin/plugin.json";

/** The marketplace with the plugin as it is to lie on disk: content by path within it. Hooks name `program`. */
export function pluginFiles(program: readonly string[]): Map<string, string> {
  const files = isSea() ? carriedFiles() : sourceFiles(path.join(import.meta.dirname, "..", "plugin"));
  const manifest = JSON.parse(files.get(MANIFEST) ?? "{}") as object;
  files.set(MANIFEST, toJson({ ...manifest, version: buildInfo.version }));
  files.set(
    "ccm/hooks/hooks.json",
    toJson({ description: "ccm: membership, tasks, permission modes", hooks: hookSettings(program, "plugin") }),
  );
  return files;
}

function carriedFiles(): Map<string, string> {
  const keys = getAssetKeys().filter((key) => key.startsWith(ASSET_PREFIX));
  return new Map(keys.map((key) => [key.slice(ASSET_PREFIX.length), getAsset(key, "utf8")]));
}

function sourceFiles(directory: string): Map<string, string> {
  const names = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => fs.statSync(path.join(directory, name)).isFile());
  return new Map(files.map((name) => [name.split(path.sep).join("/"), fs.readFileSync(path.join(directory, name), "utf8")]));
}

function toJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
