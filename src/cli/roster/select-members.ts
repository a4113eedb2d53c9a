import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { RosterMember } from "../../members/roster-members.ts";
import { nearestWord } from "../suggestion.ts";

export interface Selection {
  /** Labels of machines. */
  readonly node?: readonly string[] | undefined;
  /** Sessions of this machine only. */
  readonly local?: boolean | undefined;
  /** Names, `*` standing for anything. */
  readonly name?: readonly string[] | undefined;
  /** In the name, the task or the directory, in any letter case. */
  readonly match?: string | undefined;
  /** As `name`, for those who are left out. */
  readonly except?: readonly string[] | undefined;
}

/** The options of a selection, for yargs. */
export const selectionOptions = {
  node: { type: "string", array: true, requiresArg: true, describe: "Only that machine's sessions (may be given again)" },
  local: { type: "boolean", describe: "Only this machine's sessions" },
  match: { type: "string", requiresArg: true, describe: "Only sessions with this text in name, task or directory" },
} as const;

/**
 * Throws `usage` for a machine that nobody is on: a selection that is mistyped must not look like an empty chat. While one watches,
 * though, a machine may come and go.
 */
export function selectMembers(members: readonly RosterMember[], selection: Selection, { mayBeAbsent = false } = {}): RosterMember[] {
  const { node, local, name, match, except } = selection;
  const machines = [...new Set(members.map(({ machine }) => machine))];
  for (const label of node ?? []) if (!mayBeAbsent && !machines.includes(label)) throw unknownMachine(label, machines);
  return members.filter(
    (member) =>
      (node === undefined || node.includes(member.machine)) &&
      (!local || !member.isRemote) &&
      (name === undefined || name.some((pattern) => isNamed(member, pattern))) &&
      (match === undefined || hasText(member, match)) &&
      !except?.some((pattern) => isNamed(member, pattern)),
  );
}

function isNamed({ name, address, sessionId }: RosterMember, pattern: string): boolean {
  const expression = new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "isu");
  return [name, address, sessionId].some((text) => text !== undefined && expression.test(text));
}

function hasText({ name, task, cwd }: RosterMember, text: string): boolean {
  const wanted = text.toLowerCase();
  return [name, task, cwd].some((field) => field?.toLowerCase().includes(wanted));
}

function unknownMachine(label: string, machines: readonly string[]): CcmError {
  const meant = nearestWord(label, machines);
  return new CcmError("usage", `no session is listed of a machine "${plainLine(label, 80)}"`, {
    hint: meant === undefined ? `there are: ${machines.join(", ")}` : `did you mean: ${meant}`,
  });
}
