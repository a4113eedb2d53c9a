import type { TrailLine } from "../../audit/read-trail.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { Style } from "../output/style.ts";
import { targetsOf } from "./log-filter.ts";

const EV_COLUMNS = 12;
const SHORT_ID_CHARACTERS = 8;
const MAX_TEXT_CHARACTERS = 200;
/** Fields that have a place of their own in a line, or none. */
const PLACED = new Set([
  "ts",
  "node",
  "ev",
  "member",
  "sender",
  "to",
  "peer",
  "msg_id",
  "session_id",
  "state",
  "ok",
  "preview",
  "task",
  "targets",
]);

/** One event as one line: when, what, who, how it ended, and the text. */
export function describeEvent(line: TrailLine, style: Style): string {
  const id = text(line["msg_id"]).slice(0, SHORT_ID_CHARACTERS);
  const failed = line["ok"] === false;
  const state = text(line["state"]) || (failed ? "failed" : "");
  const parts = [
    style.quiet(localTime(line.ts)),
    style.strong(plainLine(line.ev, 40).padEnd(EV_COLUMNS)),
    who(line),
    id === "" ? "" : style.quiet(`[${id}]`),
    state === "" ? "" : failed ? style.bad(state) : state,
    ...others(line).map((other) => style.quiet(other)),
    text(line["preview"]) || text(line["task"]),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function who(line: TrailLine): string {
  const [sender, to, member, peer] = [line["sender"], line["to"], line["member"], line["peer"]].map(text);
  const targets = targetsOf(line);
  const goal = targets.length > 0 ? `${targets.length} sessions` : to;
  const names = sender !== "" || goal !== "" ? [sender, goal].filter(Boolean).join(" → ") : member;
  return [names, peer === "" ? "" : `(${peer})`].filter(Boolean).join(" ");
}

function others(line: TrailLine): string[] {
  const entries = Object.entries(line).filter(([key, value]) => !PLACED.has(key) && (typeof value !== "object" || value === null));
  return entries.map(([key, value]) => `${plainLine(key, 40)}=${text(value)}`);
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : plainLine(String(value), MAX_TEXT_CHARACTERS);
}

/** Of this machine's zone, as `date` has it. */
function localTime(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return plainLine(timestamp, 30);
  const [year, month, day] = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0"));
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
  return `${year}-${month}-${day} ${clock}`;
}
