import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

/** A directory for one test, mode 0700, removed after it whatever its content's modes. Its path is short enough for sockets. */
export function temporaryDirectory(test: Pick<TestContext, "after">): string {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "t-")));
  test.after(() => {
    for (const entry of [directory, ...directoriesUnder(directory)]) fs.chmodSync(entry, 0o700);
    fs.rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

function directoriesUnder(directory: string): string[] {
  fs.chmodSync(directory, 0o700);
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(directory, entry.name))
    .flatMap((child) => [child, ...directoriesUnder(child)]);
}
