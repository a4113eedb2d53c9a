import { plainLine } from "../../core/plain-text.ts";
import type { RosterMember } from "../../members/roster-members.ts";
import type { Style } from "../output/style.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { count } from "../output/units.ts";
import type { CopyReport } from "./broadcast.ts";

/** One line a recipient, and how many got it. */
export function describeBroadcast(reports: readonly CopyReport[], style: Style): string {
  const rows = reports.map(({ name, machine, state, ok, error }): Cell[] => [
    { text: plainLine(name, 40), paint: style.strong },
    { text: machine },
    { text: error === undefined ? state : `${state}: ${error}`, paint: ok && state === "written" ? style.good : style.warning },
  ]);
  const written = reports.filter(({ state }) => state === "written").length;
  const queued = reports.filter(({ state }) => state === "queued").length;
  const failed = reports.length - written - queued;
  const sum = [`written to ${written} of ${count(reports.length, "session")}`];
  if (queued > 0) sum.push(`${queued} queued until their machine is linked again`);
  if (failed > 0) sum.push(`${failed} failed`);
  return [...(rows.length > 0 ? [renderTable(rows)] : []), sum.join(", ")].join("\n");
}

/** Whom it would go to. */
export function describeRecipients(members: readonly RosterMember[], style: Style): string {
  const rows = members.map(({ name, machine, holds, offlineSince }): Cell[] => [
    { text: plainLine(name, 40), paint: style.strong },
    { text: machine },
    {
      text: offlineSince ? "offline: queued until its machine is linked again" : holds ? "its person is asked first" : "",
      paint: style.quiet,
    },
  ]);
  return [...(rows.length > 0 ? [renderTable(rows)] : []), `would be written to ${count(members.length, "session")}`].join("\n");
}
