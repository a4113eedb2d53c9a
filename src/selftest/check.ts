import type { PeerRecordFields } from "../claude/peer-record.ts";
import type { ClaudeSession } from "./claude-session.ts";
import type { OurPeer } from "./our-peer.ts";
import type { SelftestHome } from "./selftest-home.ts";
import type { StandInModel } from "./stand-in-model.ts";

/** What every check has at hand. */
export interface Stage {
  readonly home: SelftestHome;
  readonly model: StandInModel;
  /** Asks its person for permission: of the class "prompting". */
  readonly asking: ClaudeSession;
  /** Asks nobody: of the class "bypass". */
  readonly bold: ClaudeSession;
  /** Ends in the course of the checks, and is nobody's but theirs that see it end. */
  readonly passing: ClaudeSession;
  /** A peer of ours that says it prompts, and sends few messages: what it writes to `asking` is never held back. */
  readonly friend: OurPeer;
  readonly signal: AbortSignal;
  /** Starts one more session, with these arguments. */
  session(name: string, args: readonly string[]): Promise<ClaudeSession>;
  /** Opens one more peer of ours, which senders' guards count by itself. It is closed at the end. */
  peer(name: string, record?: PeerRecordFields): Promise<OurPeer>;
}

/**
 * What runs beside what: checks of one lane follow each other. A lane of a session's name has that session's terminal to itself; `inbox`
 * only writes to `asking` what leaves its person and its screen alone, and the others have sessions of their own, or write in
 * `asking` when its lane is done.
 */
export type Lane = "asking" | "bold" | "passing" | "inbox" | "policies" | "peer";

/** One thing that we rely on, and how to see whether it is so. */
export interface Check {
  /** Stable, for scripts and the protocol page: `registry.record`. */
  readonly name: string;
  readonly lane: Lane;
  /** What we rely on, as a sentence. */
  readonly relies: string;
  /** A string that it returns is a particular worth showing. Throws `Broken` if it is not so, `Unchecked` if that cannot be told,
   * `SwitchedOff` if this Claude Code has no such thing. */
  run(stage: Stage): Promise<unknown>;
}
