import { ClaudeSession } from "./claude-session.ts";
import { Unchecked } from "./outcome.ts";
import type { SelftestHome } from "./selftest-home.ts";
import type { StandInModel } from "./stand-in-model.ts";
import { Terminal } from "./terminal.ts";
import { until } from "./until.ts";

const START_DEADLINE_MS = 45_000;
const FIRST_RECORD_MS = 5_000;

export interface SessionStart {
  readonly home: SelftestHome;
  readonly model: StandInModel;
  readonly claude: string;
  readonly script: string;
  readonly signal: AbortSignal;
}

/** Starts an interactive session and settles when it takes messages. Rejects with `Unchecked`, and what its screen says, if that is not soon. */
export async function startSession(
  { home, model, claude, script, signal }: SessionStart,
  name: string,
  args: readonly string[],
  options: { readonly takesFiles?: boolean } = {},
): Promise<ClaudeSession> {
  const terminal = new Terminal(script, {
    command: [claude, "--name", name, ...args],
    cwd: home.project(name),
    env: home.sessionEnvironment(model.urlFor(name), options),
  });
  const session = new ClaudeSession({ name, home, model, terminal, signal });
  const isReady = () => {
    if (terminal.hasEnded) throw new Unchecked(`Claude Code ended at its start: ${terminal.shown().slice(-300)}`);
    return session.entry()?.record?.messagingSocketPath !== undefined && terminal.shown().includes("\u276f");
  };
  const otherwise = (message: string) => new Unchecked(`${message}; its screen says: ${terminal.shown().slice(-300)}`);
  await until(isReady, { what: `the session ${name} to come up`, signal, deadlineMs: START_DEADLINE_MS, otherwise });
  // A record is written before all of it is known.
  await session.soon(() => session.record.name === name && session.record.status !== undefined, FIRST_RECORD_MS);
  session.noteStart();
  return session;
}
