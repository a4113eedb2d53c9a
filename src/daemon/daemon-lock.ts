import { DatabaseSync } from "node:sqlite";
import { CcmError } from "../core/errors.ts";

export interface DaemonLock {
  release(): void;
}

/** As long as a daemon may take to end after its socket has gone. */
const WAIT_MS = 1_500;

/**
 * Takes the one lock of a daemon, or throws `already_running` if it is not free within 1.5 s. It is a lock of the kernel, held through SQLite because Node has
 * no other door to one: it ends with the process however that ends, so there is no stale lock and no pid file to believe.
 */
export function takeDaemonLock(file: string): DaemonLock {
  const database = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
    database.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    throw new CcmError("already_running", "a ccm daemon is already running for this user", { hint: "see ccm status", cause });
  }
  return { release: () => database.close() };
}
