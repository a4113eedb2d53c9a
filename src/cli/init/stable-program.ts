import fs from "node:fs";
import path from "node:path";
import { isSea } from "node:sea";
import type { Paths } from "../../core/paths.ts";
import { runningExecutable, selfCommand } from "../../core/self-command.ts";

/**
 * What hooks should name to find this program again after an update: the place on PATH that leads to it, else `~/.local/bin/ccm`, else where it
 * lies. From source it is the runtime and the source.
 */
export function stableProgram(paths: Pick<Paths, "home">, environment: NodeJS.ProcessEnv): readonly string[] {
  if (!isSea()) {
    const { file, args } = selfCommand([]);
    return [file, ...args];
  }
  const running = identify(runningExecutable());
  const directories = (environment.PATH ?? "").split(path.delimiter).filter((directory) => path.isAbsolute(directory));
  const onPath = directories.map((directory) => path.join(directory, "ccm")).find((file) => identify(file) === running);
  const usual = path.join(paths.home, ".local", "bin", "ccm");
  return [onPath ?? (fs.existsSync(usual) ? usual : process.execPath)];
}

function identify(file: string): string | undefined {
  const status = fs.statSync(file, { throwIfNoEntry: false });
  return status && `${status.dev}:${status.ino}`;
}
