import { DatabaseSync } from "node:sqlite";
import { CcmError } from "../core/errors.ts";

export interface KernelLock {
  release(): void;
}

/** Of SQLite: another has the lock. */
const SQLITE_BUSY = 5;

/**
 * Takes the lock that `file` stands for, waiting up to `waitMs` (the whole process waits) for another process to let go of it; undefined
 * if it does not. It is a lock of the kernel, held through SQLite because Node has no other door to one: it ends with the process
 * however that ends, so there is no stale lock and no pid file to believe. Throws `state_unusable` where there can be no such file.
 */
export function takeKernelLock(file: string, { waitMs }: { readonly waitMs: number }): KernelLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: waitMs });
    database.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
  } catch (cause) {
    database?.close();
    if (isBusy(cause)) return undefined;
    throw new CcmError("state_unusable", `cannot lock ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: "check its owner, its mode and the space left on that disk",
      cause,
    });
  }
  const held = database;
  return { release: () => held.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
