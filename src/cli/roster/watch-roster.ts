import { openRegistryView } from "../../claude/registry-view.ts";
import { systemClock } from "../../core/clock.ts";
import type { Paths } from "../../core/paths.ts";
import { type RosterMember, rosterContext, rosterMembers } from "../../members/roster-members.ts";
import { RosterView } from "../../members/roster-view.ts";

/**
 * Calls `show` with who is here, now and after each change, until `signal` aborts. Changes are seen within a second; a probe of
 * inboxes is part of each look, so looks do not overlap.
 */
export async function watchRoster(paths: Paths, show: (members: RosterMember[]) => void, signal: AbortSignal): Promise<void> {
  let wake = Promise.withResolvers<void>();
  const look = () => wake.resolve();
  const registry = openRegistryView({ claudeConfig: paths.claudeConfig });
  const roster = new RosterView({ paths, clock: systemClock, onProblem: () => undefined });
  registry.onChange(look);
  roster.onChange(look);
  signal.addEventListener("abort", look);
  let shown = "";
  while (!signal.aborted) {
    const entries = registry.entries();
    const context = { ...rosterContext(paths, entries), attributesOf: roster.attributesOf.bind(roster) };
    const members = await rosterMembers(entries, context);
    if (JSON.stringify(members) !== shown && !signal.aborted) show(members);
    shown = JSON.stringify(members);
    await wake.promise;
    wake = Promise.withResolvers();
  }
  registry.close();
  roster.close();
}
