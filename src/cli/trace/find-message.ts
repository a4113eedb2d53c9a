import type { TrailLine } from "../../audit/read-trail.ts";
import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { MachineTrace } from "../../daemon/control-protocol.ts";
import { isFurther, isMessageState, type MessageState } from "../../link/message-state.ts";

/** What every machine that could be asked has about one message, this machine first. */
export interface MessageTrace {
  readonly messageId: string;
  /** The furthest that any of them knows. */
  readonly state: MessageState | undefined;
  readonly machines: readonly MachineTrace[];
}

const MAX_CANDIDATES = 8;

/**
 * The one message whose id is `typed` or begins so. Throws `no_such_message`, naming who could not be asked, and `ambiguous_name` with
 * the ids that begin so.
 */
export function findMessage(machines: readonly MachineTrace[], typed: string): MessageTrace {
  const ids = [...new Set(machines.flatMap(({ lines }) => lines.map(idOf)))];
  const [messageId, ...others] = ids.includes(typed) ? [typed] : ids;
  if (messageId === undefined) throw unknown(machines, typed);
  if (others.length > 0) throw ambiguous(machines, ids, typed);
  const ofMessage = machines.map((machine) => ({ ...machine, lines: machine.lines.filter((line) => idOf(line) === messageId) }));
  return { messageId, state: furthest(ofMessage), machines: ofMessage.filter(({ lines, problem }) => lines.length > 0 || problem) };
}

function idOf(line: TrailLine): string {
  return String(line["msg_id"]);
}

function furthest(machines: readonly MachineTrace[]): MessageState | undefined {
  const states = machines.flatMap(({ lines }) => lines.map((line) => line["state"]).filter(isMessageState));
  return states.sort((left, right) => Number(isFurther(right, left)) - Number(isFurther(left, right)))[0];
}

function unknown(machines: readonly MachineTrace[], typed: string): CcmError {
  const silent = machines.flatMap(({ machine, problem }) => (problem === undefined ? [] : [`${machine} could not be asked: ${problem}`]));
  return new CcmError("no_such_message", `no trail has a message ${plainLine(typed, 100)}`, {
    hint: silent.length > 0 ? silent.join("; ") : "trails have what crossed between machines; ccm send --json prints the id",
  });
}

function ambiguous(machines: readonly MachineTrace[], ids: readonly string[], typed: string): CcmError {
  const lines = machines.flatMap((machine) => machine.lines);
  const shown = ids.slice(-MAX_CANDIDATES).map((id) => {
    const first = lines.find((line) => idOf(line) === id);
    return `${plainLine(id, 100)} (${plainLine(first?.ts ?? "", 30)})`;
  });
  const left = ids.length - shown.length;
  return new CcmError("ambiguous_name", `${ids.length} messages begin with ${typed}`, {
    hint: `${shown.join(", ")}${left > 0 ? ` and ${left} older` : ""}`,
  });
}
