import type { Trail } from "../audit/trail.ts";
import { openRegistryView, type RegistryView } from "../claude/registry-view.ts";
import type { Clock } from "../core/clock.ts";
import type { Paths } from "../core/paths.ts";
import { LocalMembers } from "../members/local-members.ts";
import { RosterSweep } from "../members/roster-sweep.ts";
import { RosterView } from "../members/roster-view.ts";

export interface LocalChatOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly trail: Trail;
  readonly onProblem: (message: string) => void;
}

/** This machine's part of the chat, kept read: the registry, what hooks wrote beside it, and the members that come of both. */
export class LocalChat {
  readonly members: LocalMembers;
  readonly #registry: RegistryView;
  readonly #roster: RosterView;
  readonly #sweep: RosterSweep;

  constructor({ paths, clock, trail, onProblem }: LocalChatOptions) {
    this.#registry = openRegistryView({ claudeConfig: paths.claudeConfig, clock });
    this.#roster = new RosterView({ paths, clock, onProblem });
    this.#sweep = new RosterSweep({
      paths,
      clock,
      onProblem,
      onSwept: ({ sessionId, name }) => trail.append({ ev: "leave", member: name, session_id: sessionId, reason: "swept" }),
    });
    this.members = new LocalMembers(this.#registry, this.#roster);
  }

  close(): void {
    this.members.close();
    this.#roster.close();
    this.#sweep.stop();
    this.#registry.close();
  }
}
