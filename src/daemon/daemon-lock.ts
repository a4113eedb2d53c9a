import { CcmError } from "../core/errors.ts";
import { type KernelLock, takeKernelLock } from "./kernel-lock.ts";

/** Takes the one lock of a daemon, which ends with its process. Throws `already_running`, `state_unusable`. */
export function takeDaemonLock(file: string): KernelLock {
  const lock = takeKernelLock(file, { waitMs: 0 });
  if (lock) return lock;
  throw new CcmError("already_running", "a ccm daemon is already running for this user", { hint: "see ccm status" });
}
