import { plainLine } from "../../core/plain-text.ts";
import { shellWord } from "../../members/member-address.ts";
import type { RosterMember } from "../../members/roster-members.ts";
import { homeRelative } from "../output/home-relative.ts";
import type { Style } from "../output/style.ts";
import { type Cell, renderTable } from "../output/table.ts";

/** Of a name beside its address, or of one that has none. */
const MAX_NAME_CHARACTERS = 40;
const HOLDS_MARK = "*";

export interface RosterView {
  readonly home: string;
  readonly style: Style;
  readonly width?: number | undefined;
}

/** A table whose first column can be typed after `ccm send`. */
export function describeRoster(members: readonly RosterMember[], { home, style, width }: RosterView): string {
  if (members.length === 0) return "no session is here: start claude, here or on a paired machine";
  const heading = ["NAME", "MACHINE", "STATUS", "DIRECTORY", "TASK"].map((text) => ({ text, paint: style.quiet }));
  const table = renderTable([heading, ...members.map((member) => memberRow(member, home, style))], { width });
  if (!members.some(({ holds }) => holds)) return table;
  return `${table}\n${style.quiet(`${HOLDS_MARK} its person is asked before it takes a message from here: another permission class`)}`;
}

function memberRow(member: RosterMember, home: string, style: Style): Cell[] {
  const { machine, isRemote, isYou, address, cwd = "", task = "", unreachable } = member;
  const shownName =
    address === undefined ? plainLine(member.name, MAX_NAME_CHARACTERS) || `(pid ${member.pid})` : nameCell(member.name, address);
  return [
    { text: isYou ? `${shownName} ← you` : shownName, paint: isYou ? style.good : style.strong },
    { text: machine },
    statusCell(member, style),
    { text: isRemote ? cwd : homeRelative(cwd, home), paint: style.quiet },
    { text: unreachable ?? task },
  ];
}

function statusCell({ status = "", unreachable, offlineSince, holds }: RosterMember, style: Style): Cell {
  if (unreachable !== undefined) return { text: "unreachable", paint: style.warning };
  if (offlineSince !== undefined) return { text: "offline", paint: style.warning };
  return { text: holds ? `${status}${HOLDS_MARK}` : status, ...(holds && { paint: style.warning }) };
}

/** A name that others have too is told apart by the address that works, beside it. */
function nameCell(name: string, address: string): string {
  return name === "" || address.startsWith(name) ? shellWord(address) : `${shellWord(address)} (${plainLine(name, MAX_NAME_CHARACTERS)})`;
}
