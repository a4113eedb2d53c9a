import fs from "node:fs";
import path from "node:path";
import { systemErrorCode } from "../core/errors.ts";
import { findSocket } from "./find-socket.ts";
import { sessionsDirectory } from "./key-file.ts";
import { currentPidDomain, hasProcStart, isAlive, isSamePidDomain } from "./process-identity.ts";
import { parseSessionRecord, type SessionRecord } from "./session-record.ts";

/** Why a record in the registry stands for nobody who can be written to, each with what it means for a person. */
export const unreachableReasons = {
  record_unreadable: "its record cannot be read",
  record_malformed: "its record is damaged or half written",
  record_misnamed: "its record names another process than its file does",
  other_pid_domain: "it runs in another container or on another machine that shares this directory",
  process_gone: "its process has ended",
  process_replaced: "its process id now belongs to another program",
  socket_unset: "it has no inbox (or not yet)",
  socket_missing: "its inbox's socket is gone",
  socket_unsafe: "its inbox is not a socket of this user",
  socket_refused: "nobody listens on its inbox",
} as const;

export type UnreachableReason = keyof typeof unreachableReasons;

export interface Unreachable {
  readonly reason: UnreachableReason;
  /** One line with the particulars. */
  readonly detail: string;
}

/** A `<pid>.json` of the registry. Without `unreachable`, all that can be told without connecting speaks for it. */
export interface RegistryEntry {
  readonly file: string;
  readonly pid: number;
  /** Absent where the file holds none. */
  readonly record?: SessionRecord;
  readonly unreachable?: Unreachable;
}

const RECORD_FILE = /^([1-9][0-9]{0,9})\.json$/;

/** All entries by pid. None hides another. An absent directory is an empty registry; one that cannot be read throws its system error. */
export function readRegistry(claudeConfig: string): RegistryEntry[] {
  const directory = sessionsDirectory(claudeConfig);
  return listRecordPids(directory).flatMap((pid) => {
    const entry = readEntry(path.join(directory, `${pid}.json`), pid);
    return entry ? [entry] : [];
  });
}

/** The process ids that have a record file, ascending. */
export function listRecordPids(directory: string): number[] {
  let names: string[];
  try {
    names = fs.readdirSync(directory);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
  const pids = names.flatMap((name) => {
    const match = RECORD_FILE.exec(name);
    return match ? [Number(match[1])] : [];
  });
  return pids.sort((left, right) => left - right);
}

/** Undefined if the file has gone in the meantime. */
export function readEntry(file: string, pid: number): RegistryEntry | undefined {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT") return undefined;
    return {
      file,
      pid,
      unreachable: { reason: "record_unreadable", detail: code === "EISDIR" ? "is a directory" : String(code ?? error) },
    };
  }
  const { record, detail } = { detail: "", ...parseSessionRecord(text) };
  return record ? vetEntry({ file, pid, record }) : { file, pid, unreachable: { reason: "record_malformed", detail } };
}

/** The entry again, judged by how its process and its socket are now. One without a record comes back as it is. */
export function vetEntry({ file, pid, record, unreachable }: RegistryEntry): RegistryEntry {
  if (!record) return { file, pid, ...(unreachable && { unreachable }) };
  const found = record.pid === pid ? findFault(record) : { reason: "record_misnamed" as const, detail: `its pid is ${record.pid}` };
  return { file, pid, record, ...(found && { unreachable: found }) };
}

function findFault(record: SessionRecord): Unreachable | undefined {
  return findProcessFault(record) ?? findSocketFault(record.messagingSocketPath);
}

function findProcessFault({ pid, pidDomain, procStart }: SessionRecord): Unreachable | undefined {
  if (pidDomain !== undefined && !isSamePidDomain(pidDomain, currentPidDomain())) {
    return { reason: "other_pid_domain", detail: `${pidDomain}, not ${currentPidDomain()}` };
  }
  if (procStart === undefined ? isAlive(pid) : hasProcStart(pid, procStart)) return undefined;
  return isAlive(pid)
    ? { reason: "process_replaced", detail: `process ${pid} did not start at ${procStart}` }
    : { reason: "process_gone", detail: `there is no process ${pid}` };
}

function findSocketFault(socketPath: string | undefined): Unreachable | undefined {
  if (socketPath === undefined || socketPath === "") return { reason: "socket_unset", detail: "the record names no socket" };
  const found = findSocket(socketPath);
  if (found.fault) return { reason: `socket_${found.fault}`, detail: `${socketPath}: ${found.detail}` };
  return undefined;
}
