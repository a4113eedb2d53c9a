import type { Directory } from "../peer/directory.ts";
import type { Session } from "./schema.ts";
import type { Sessions } from "./sessions.ts";

export type SessionEventType = "session.joined" | "session.left" | "session.changed";

/**
 * Tells of sessions that come, go, and change what their record says; not of those that are here already, nor of the one with
 * `ownSessionId`. Ends with the directory.
 */
export function watchSessions(
  directory: Directory,
  sessions: Sessions,
  ownSessionId: string,
  tell: (type: SessionEventType, session: Session) => void,
): void {
  const look = () => {
    const others = sessions.of(directory.entries()).filter(({ session_id: sessionId }) => sessionId !== ownSessionId);
    return new Map(others.map((session) => [keyOf(session), session]));
  };
  let known = look();
  directory.onChange(() => {
    const found = look();
    for (const [key, session] of found) {
      const before = known.get(key);
      if (!before) tell("session.joined", session);
      else if (JSON.stringify(before) !== JSON.stringify(session)) tell("session.changed", session);
    }
    for (const [key, session] of known) if (!found.has(key)) tell("session.left", session);
    known = found;
  });
}

/** The mirror of one session may be replaced by another process; then it left and joined. */
function keyOf({ pid, machine }: Session): string {
  return `${machine} ${pid}`;
}
