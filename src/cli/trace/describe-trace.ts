import type { TrailLine } from "../../audit/read-trail.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { MachineTrace } from "../../daemon/control-protocol.ts";
import { isMessageState } from "../../link/message-state.ts";
import { isFailure } from "../message/outcomes.ts";
import type { Style } from "../output/style.ts";
import { type Cell, renderTable } from "../output/table.ts";
import type { MessageTrace } from "./find-message.ts";

/** One row an event, machine by machine: their clocks need not agree, so they are not put into one order. */
export function describeTrace({ messageId, machines }: MessageTrace, style: Style): string {
  const lines = machines.flatMap((machine) => machine.lines);
  const rows = machines.flatMap((machine) => machineRows(machine, style));
  return [heading(messageId, lines, style), renderTable(rows)].join("\n");
}

function heading(messageId: string, lines: readonly TrailLine[], style: Style): string {
  const { sender, preview } = { sender: textOf(lines, "sender"), preview: textOf(lines, "preview") };
  const words = [
    style.strong(plainLine(messageId, 100)),
    ...(sender === undefined ? [] : [`from ${plainLine(sender, 80)}`]),
    ...(preview === undefined ? [] : [style.quiet(`«${plainLine(preview, 60)}»`)]),
  ];
  return words.join("  ");
}

function machineRows({ machine, lines, problem }: MachineTrace, style: Style): Cell[][] {
  const isIncoming = lines.some(({ ev }) => ev === "relay_in");
  const events = lines.filter(({ ev }) => ev !== "relay_in" && ev !== "relay_out");
  const rows = events.map((line, index) => [
    { text: index === 0 ? machine : "", paint: style.strong },
    { text: localTime(line.ts), paint: style.quiet },
    stateCell(line, style),
    { text: whereabouts(line, isIncoming) },
  ]);
  if (problem === undefined) return rows;
  return [...rows, [{ text: machine, paint: style.strong }, { text: "" }, { text: "?", paint: style.warning }, { text: problem }]];
}

function stateCell({ ev, state }: TrailLine, style: Style): Cell {
  const text = typeof state === "string" ? state : ev;
  if (!isMessageState(text)) return { text };
  if (isFailure(text)) return { text, paint: style.bad };
  return { text, paint: text === "held" ? style.warning : style.good };
}

function whereabouts({ peer, file, reason }: TrailLine, isIncoming: boolean): string {
  const other = typeof peer === "string" ? `${isIncoming ? "from" : "to"} ${peer}` : "";
  return [other, file, reason].filter((part) => typeof part === "string").join(": ");
}

function textOf(lines: readonly TrailLine[], field: string): string | undefined {
  const value = lines.map((line) => line[field]).find((candidate) => typeof candidate === "string" && candidate !== "");
  return value as string | undefined;
}

/** `2026-01-31 14:05:09.123`, where this runs; what is no time as it is. */
function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const pad = (number: number, digits = 2) => String(number).padStart(digits, "0");
  const date = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
  return `${date} ${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}.${pad(time.getMilliseconds(), 3)}`;
}
