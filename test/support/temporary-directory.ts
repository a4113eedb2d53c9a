import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";

/** A directory for one test, mode 0700, removed after it whatever its content's modes. Its path is short enough for sockets. */
export function temporaryDirectory(test: Pick<TestContext, "after">): string {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "t-")));
  // Hooks run in the order in which they were registered: this one goes to the end, after those that end what writes in here.
  test.after(() => test.after(() => remove(directory)));
  return directory;
}

function remove(directory: string): void {
  if (!fs.existsSync(directory)) return;
  for (const entry of [directory, ...directoriesUnder(directory)]) fs.chmodSync(entry, 0o700);
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

function directoriesUnder(directory: string): string[] {
  fs.chmodSync(directory, 0o700);
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(directory, entry.name))
    .flatMap((child) => [child, ...directoriesUnder(child)]);
}
