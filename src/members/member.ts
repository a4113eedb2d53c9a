/**
 * A session in the chat, as its own machine publishes it. A member *is* a process: `id` never changes while it lives; all
 * else are attributes that may.
 */
export interface Member {
  /** `<pid>.<process start>`, unique on its machine. */
  readonly id: string;
  readonly pid: number;
  readonly procStart: string;
  readonly name: string;
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly status?: string | undefined;
  readonly task?: string | undefined;
  /** Its permission class as its own hooks saw it; absent where that is not known. */
  readonly mode?: string | undefined;
  /** The version of Claude Code, or of what else the session runs. */
  readonly version?: string | undefined;
  readonly startedAt?: number | undefined;
}

export function memberId(process: { readonly pid: number; readonly procStart: string }): string {
  // A process start is digits on Linux and a date on macOS.
  return `${process.pid}.${process.procStart.replace(/[^0-9A-Za-z]+/g, "-")}`;
}

/** What a list of members must lose, gain or replace to become another. */
export interface MemberChanges {
  readonly put: readonly Member[];
  readonly gone: readonly string[];
}

export function memberChanges(before: ReadonlyMap<string, Member>, after: ReadonlyMap<string, Member>): MemberChanges | undefined {
  const put = [...after.values()].filter((member) => {
    const known = before.get(member.id);
    return known === undefined || JSON.stringify(known) !== JSON.stringify(member);
  });
  const gone = [...before.keys()].filter((id) => !after.has(id));
  return put.length + gone.length === 0 ? undefined : { put, gone };
}
