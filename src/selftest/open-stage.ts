import type { PeerRecordFields } from "../claude/peer-record.ts";
import type { Stage } from "./check.ts";
import { ClaudeSession } from "./claude-session.ts";
import { OurPeer } from "./our-peer.ts";
import { Unchecked } from "./outcome.ts";
import { SelftestHome } from "./selftest-home.ts";
import { StandInModel } from "./stand-in-model.ts";
import { Terminal } from "./terminal.ts";
import { until } from "./until.ts";

const START_DEADLINE_MS = 45_000;
const FIRST_RECORD_MS = 5_000;
const PROMPTING = ["--permission-mode", "default"];
const BYPASS = ["--dangerously-skip-permissions"];

export interface StageOptions {
  /** A throwaway directory; whoever made it ends what lives in it. */
  readonly directory: string;
  readonly claude: string;
  readonly script: string;
  readonly signal: AbortSignal;
}

/** Starts the model, three sessions and a peer. The model and the peers are closed with `resources`. Rejects if a session does not come up. */
export async function openStage(options: StageOptions, resources: AsyncDisposableStack): Promise<Stage> {
  const { signal } = options;
  const home = new SelftestHome(options.directory);
  const model = resources.adopt(await StandInModel.start(), (started) => started.close());
  const peer = async (name: string, record?: PeerRecordFields) =>
    resources.adopt(await OurPeer.open(home, name, signal, record), (opened) => opened.close());
  const session = (name: string, args: readonly string[]) => startSession({ ...options, home, model }, name, args);
  const [friend, asking, bold, passing] = await Promise.all([
    peer("friend"),
    session("asking", PROMPTING),
    session("bold", BYPASS),
    session("passing", PROMPTING),
  ]);
  return { home, model, asking, bold, passing, friend, signal, session, peer };
}

async function startSession(
  { home, model, claude, script, signal }: StageOptions & { home: SelftestHome; model: StandInModel },
  name: string,
  args: readonly string[],
): Promise<ClaudeSession> {
  const terminal = new Terminal(script, {
    command: [claude, "--name", name, ...args],
    cwd: home.project(name),
    env: home.sessionEnvironment(model.urlFor(name)),
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
