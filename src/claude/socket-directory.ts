import fs from "node:fs";
import path from "node:path";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { MAX_SOCKET_PATH_BYTES } from "../core/paths.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;
const LONGEST_SOCKET_NAME = "4194304.sock";
const WRITABLE_BY_OTHERS = 0o002;
const STICKY = 0o1000;

/** What {@link chooseSocketDirectory} looks at, so that a test can stand in another user's place. */
export interface SocketDirectoryOptions {
  /** The directory where every user may have one of his own. */
  readonly sharedTemporary?: string;
  readonly uid?: number;
}

/**
 * The directory for this user's inboxes, made if need be: the one that a session of Claude Code with this environment would
 * bind in. That is `cc-socks` in the first of XDG_RUNTIME_DIR, CLAUDE_CODE_TMPDIR and /tmp that is set; if that is not safe
 * or its paths would be too long, `/tmp/cc-socks-<uid>`. Never follows a link and never touches what another user owns.
 * Throws `socket_directory_unsafe` naming both and what is wrong with each.
 */
export function chooseSocketDirectory(environment: NodeJS.ProcessEnv, options: SocketDirectoryOptions = {}): string {
  const uid = ownUid(options);
  const refusals: string[] = [];
  for (const directory of candidates(environment, options)) {
    const refusal = refusalOf(directory, uid);
    if (refusal === undefined) return directory;
    refusals.push(`${directory} ${refusal}`);
  }
  throw new CcmError("socket_directory_unsafe", `no safe directory for inboxes: ${refusals.join("; ")}`, {
    hint: "have its owner remove it, or set XDG_RUNTIME_DIR to a directory of your own with mode 0700",
  });
}

/** The socket that the process `pid` binds as its inbox. Throws as {@link chooseSocketDirectory} does. */
export function inboxSocketPath(environment: NodeJS.ProcessEnv, pid: number): string {
  return path.join(chooseSocketDirectory(environment), `${pid}.sock`);
}

/** Every socket that the process `pid` may have bound as its inbox, in directories of this user that exist. Makes none, never throws. */
export function possibleInboxSockets(environment: NodeJS.ProcessEnv, pid: number): string[] {
  const uid = ownUid({});
  const own = candidates(environment, {}).filter((directory) => isDirectoryOf(directory, uid));
  return own.map((directory) => path.join(directory, `${pid}.sock`));
}

function isDirectoryOf(directory: string, uid: number): boolean {
  try {
    const found = fs.lstatSync(directory);
    return found.isDirectory() && found.uid === uid;
  } catch {
    return false;
  }
}

function ownUid({ uid }: SocketDirectoryOptions): number {
  return uid ?? process.getuid?.() ?? 0;
}

function candidates(environment: NodeJS.ProcessEnv, options: SocketDirectoryOptions): string[] {
  const shared = options.sharedTemporary ?? "/tmp";
  const root = environment["XDG_RUNTIME_DIR"] || environment["CLAUDE_CODE_TMPDIR"] || shared;
  return [path.join(root, "cc-socks"), path.join(shared, `cc-socks-${ownUid(options)}`)];
}

/** Undefined if `directory` is there, safe and closed to others; else what is wrong with it. */
function refusalOf(directory: string, uid: number): string | undefined {
  if (!path.isAbsolute(directory)) return "is not an absolute path";
  if (Buffer.byteLength(path.join(directory, LONGEST_SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES) return "makes paths too long for a socket";
  try {
    fs.mkdirSync(path.dirname(directory), { recursive: true, mode: 0o700 });
    return refusalOfParent(path.dirname(directory), uid) ?? claimDirectory(directory, uid);
  } catch (error) {
    return `cannot be used (${systemErrorCode(error) ?? String(error)})`;
  }
}

/** Whoever may rename in the parent can put another directory in the place of ours. */
function refusalOfParent(parent: string, uid: number): string | undefined {
  const stat = fs.statSync(parent);
  if (stat.uid !== uid && stat.uid !== 0) return `lies in a directory of uid ${stat.uid}`;
  if ((stat.mode & WRITABLE_BY_OTHERS) !== 0 && (stat.mode & STICKY) === 0) return "lies in a directory that others may write to";
  return undefined;
}

function claimDirectory(directory: string, uid: number): string | undefined {
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
  const found = fs.lstatSync(directory);
  if (found.isSymbolicLink()) return "is a symlink";
  if (!found.isDirectory()) return "is not a directory";
  if (found.uid !== uid) return `belongs to uid ${found.uid}`;
  if ((found.mode & 0o777) !== 0o700) closeToOthers(directory, uid);
  return undefined;
}

/** A directory of our own with a wider mode is tightened, as Claude Code does; through a descriptor, so that no link can redirect it. */
function closeToOthers(directory: string, uid: number): void {
  const descriptor = fs.openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (fs.fstatSync(descriptor).uid === uid) fs.fchmodSync(descriptor, 0o700);
  } finally {
    fs.closeSync(descriptor);
  }
}
