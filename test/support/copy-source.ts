import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");
const COPIED = ["build", "scripts", "src", "package.json", "package-lock.json", "tsconfig.json", "LICENSE"];

export interface SourceCopy extends Disposable {
  readonly directory: string;
}

/** The source elsewhere, without git and without what was built of it, sharing the installed packages. */
export function copySource(name = "elsewhere"): SourceCopy {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-source-"));
  const directory = path.join(parent, name);
  fs.mkdirSync(directory);
  for (const copied of COPIED) fs.cpSync(path.join(root, copied), path.join(directory, copied), { recursive: true });
  fs.symlinkSync(fs.realpathSync(path.join(root, "node_modules")), path.join(directory, "node_modules"));
  return { directory, [Symbol.dispose]: () => fs.rmSync(parent, { recursive: true, force: true }) };
}
