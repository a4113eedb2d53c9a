import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { CcmError, systemErrorCode } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { ensurePrivateDirectory } from "../../core/private-file.ts";

const START_TIMEOUT_MS = 30_000;

/** The installed file that an update replaces, and the version before it that a rollback brings back. */
export class InstalledExecutable {
  readonly file: string;
  readonly #previous: string;

  /** Throws `usage` for a file that is not for a person to update: what ccm itself brought along to another machine. */
  constructor(file: string, paths: Paths) {
    if (file.startsWith(path.join(paths.cache, "bin") + path.sep)) {
      throw new CcmError("usage", "this ccm was brought along by another machine, which also keeps it current", {
        hint: "update ccm on the machine that paired this one, or install it here with install.sh",
      });
    }
    this.file = file;
    this.#previous = path.join(paths.cache, "previous", path.basename(file));
  }

  /**
   * Has `write` make a new executable beside the installed one, starts it for its version, and puts it in place by rename: whatever
   * fails, before and after, the installed one is whole. Returns what the new one says of itself. Rejects with `state_unusable`.
   */
  async replace(write: (incoming: string) => Promise<void>): Promise<string> {
    const incoming = path.join(path.dirname(this.file), `.${path.basename(this.file)}.${randomBytes(6).toString("hex")}`);
    try {
      await write(incoming);
      const said = versionOf(incoming);
      this.#keepPrevious();
      fs.renameSync(incoming, this.file);
      return said;
    } catch (error) {
      throw error instanceof CcmError ? error : unwritable(this.file, error);
    } finally {
      fs.rmSync(incoming, { force: true });
    }
  }

  /** Swaps the installed version and the one before; again swaps back. Throws `usage` where there is none before. */
  async rollBack(): Promise<string> {
    if (!fs.existsSync(this.#previous)) {
      throw new CcmError("usage", "there is no version to go back to", { hint: "ccm update --to VERSION installs a certain one" });
    }
    return await this.replace(async (incoming) => fs.copyFileSync(this.#previous, incoming, fs.constants.COPYFILE_EXCL));
  }

  /** Before the rename, so that there is no moment at which the old version is nowhere. */
  #keepPrevious(): void {
    const directory = path.dirname(this.#previous);
    ensurePrivateDirectory(directory);
    const copy = `${this.#previous}.${randomBytes(6).toString("hex")}`;
    try {
      linkOrCopy(this.file, copy);
      fs.renameSync(copy, this.#previous);
    } finally {
      fs.rmSync(copy, { force: true });
    }
  }
}

/** A link costs no space; another file system, or one without links, needs a copy. */
function linkOrCopy(file: string, destination: string): void {
  try {
    fs.linkSync(file, destination);
  } catch {
    fs.copyFileSync(file, destination, fs.constants.COPYFILE_FICLONE);
  }
}

/** What `--version` prints, started as a stranger's program would be: only then is it put where people run it. */
function versionOf(file: string): string {
  const { status, stdout, stderr, error } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: START_TIMEOUT_MS, env: {} });
  if (status === 0 && stdout.startsWith("ccm ")) return stdout.trim();
  const reason = plainLine(error?.message ?? stderr.trim(), 200) || `exit code ${status}`;
  throw new CcmError("release_refused", `the new version does not start on this system: ${reason}`, {
    hint: "stay with the version that runs here; nothing was changed",
  });
}

function unwritable(file: string, cause: unknown): CcmError {
  const code = systemErrorCode(cause);
  const directory = path.dirname(file);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new CcmError("state_unusable", `there is no space left for another version in ${directory}`, {
      hint: "make room for 250 MB there and try again; the installed version is untouched",
      cause,
    });
  }
  return new CcmError("state_unusable", `cannot replace ${file}: ${code ?? (cause as Error).message}`, {
    hint: "update as the user who owns it, or as it was installed; it is untouched",
    cause,
  });
}
