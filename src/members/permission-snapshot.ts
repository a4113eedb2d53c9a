import { currentPidDomain } from "../claude/process-identity.ts";
import type { SessionRecord } from "../claude/session-record.ts";
import { isSameProcess, type ProcessBinding, parseBinding } from "./process-binding.ts";
import { readSessionFile, writeSessionFile } from "./session-file.ts";

/** What an envelope may declare; see `from-mode` there. */
export type PermissionClass = "bypass" | "prompting";

/** In which permission mode its own hooks last saw a session, bound to the one process that it was. */
export interface PermissionSnapshot extends ProcessBinding {
  readonly sessionId: string;
  /** As Claude Code calls it: `default`, `bypassPermissions`, … */
  readonly permissionMode: string;
}

/** Plan mode can stand on either class, and what is not known stays undeclared: then the receiver decides as for a stranger. */
const CLASSES: Readonly<Record<string, PermissionClass>> = {
  bypassPermissions: "bypass",
  default: "prompting",
  acceptEdits: "prompting",
  auto: "prompting",
  dontAsk: "prompting",
};

export function permissionClass(permissionMode: string): PermissionClass | undefined {
  return Object.hasOwn(CLASSES, permissionMode) ? CLASSES[permissionMode] : undefined;
}

/** Written only when it says something new. The caller has made sure that the session is its own ancestor. Throws `state_unusable`. */
export function writePermissionSnapshot(directory: string, snapshot: PermissionSnapshot): void {
  const known = readPermissionSnapshot(directory, snapshot.sessionId);
  if (known?.permissionMode === snapshot.permissionMode && isSameProcess(known, snapshot)) return;
  writeSessionFile(directory, snapshot.sessionId, snapshot);
}

export function readPermissionSnapshot(directory: string, sessionId: string): PermissionSnapshot | undefined {
  const value = readSessionFile(directory, sessionId);
  const binding = value && parseBinding(value);
  const permissionMode = value?.["permissionMode"];
  if (!binding || value?.["sessionId"] !== sessionId || typeof permissionMode !== "string") return undefined;
  return { ...binding, sessionId, permissionMode };
}

/** The class that a session may declare: its snapshot's, if that is of this session and this very process. Launch flags never count. */
export function declaredClass(directory: string, record: SessionRecord): PermissionClass | undefined {
  const { sessionId, pid, procStart, pidDomain = currentPidDomain() } = record;
  if (sessionId === undefined || procStart === undefined) return undefined;
  const snapshot = readPermissionSnapshot(directory, sessionId);
  return snapshot && isSameProcess(snapshot, { pid, procStart, pidDomain }) ? permissionClass(snapshot.permissionMode) : undefined;
}
