import type { TrailLine } from "../../audit/read-trail.ts";
import { parseTime } from "./parse-time.ts";

export interface LogRequest {
  readonly ev?: readonly string[] | undefined;
  readonly peer?: string | undefined;
  readonly member?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly grep?: string | undefined;
}

/** Whether a line is asked for. Throws `usage` for a time that is none. */
export function logFilter({ ev, peer, member, since, until, grep }: LogRequest, nowMs: number): (line: TrailLine) => boolean {
  const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : parseTime(since, "--since", nowMs);
  const untilMs = until === undefined ? Number.POSITIVE_INFINITY : parseTime(until, "--until", nowMs);
  const wanted = grep?.toLowerCase();
  return (line) => {
    const timeMs = Date.parse(line.ts);
    return (
      (ev === undefined || ev.includes(line.ev)) &&
      (peer === undefined || line["peer"] === peer || targetsOf(line).some(({ machine }) => machine === peer)) &&
      (member === undefined || namesOf(line).includes(member)) &&
      timeMs >= sinceMs &&
      timeMs <= untilMs &&
      (wanted === undefined || JSON.stringify(line).toLowerCase().includes(wanted))
    );
  };
}

/** Everyone that a line is about. */
function namesOf(line: TrailLine): unknown[] {
  return [line["member"], line["sender"], line["to"], line["session_id"], ...targetsOf(line).map(({ to }) => to)];
}

/** Of a broadcast. */
export function targetsOf(line: TrailLine): readonly { readonly to?: unknown; readonly machine?: unknown; readonly state?: unknown }[] {
  const targets = line["targets"];
  return Array.isArray(targets) ? targets.filter((target) => typeof target === "object" && target !== null) : [];
}
