import fs from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { readRegistry } from "../../../src/claude/registry.ts";
import { ChatHome } from "../cli/fixtures/chat-home.ts";
import { PeerUnderTest } from "./peer-under-test.ts";

/** The names that can be written to now. */
export function listedNames({ paths }: ChatHome): string[] {
  const entries = readRegistry(paths.claudeConfig);
  return entries.flatMap(({ record, unreachable }) => (record?.name && !unreachable ? [record.name] : [])).sort();
}

/** Files of the registry and sockets. */
export function leftIn({ paths, environment }: ChatHome): string[] {
  const directories = [path.join(paths.claudeConfig, "sessions"), path.join(environment["XDG_RUNTIME_DIR"] ?? "", "cc-socks")];
  return directories.flatMap((directory) => (fs.existsSync(directory) ? fs.readdirSync(directory) : []));
}

/** Two peers, each the other's counterpart: `bot` and `other`. */
export async function startPair(t: TestContext, words: readonly string[] = [], otherWords: readonly string[] = [], program?: string) {
  const home = new ChatHome(t);
  const [bot, other] = await Promise.all([
    PeerUnderTest.start(t, home, ["--name", "bot", ...words], program),
    PeerUnderTest.start(t, home, ["--name", "other", ...otherWords], program),
  ]);
  return { home, bot, other };
}
