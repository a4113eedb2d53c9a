import type { PeerRecordFields } from "../claude/peer-record.ts";
import type { Stage } from "./check.ts";
import { OurPeer } from "./our-peer.ts";
import { SelftestHome } from "./selftest-home.ts";
import { StandInModel } from "./stand-in-model.ts";
import { startSession } from "./start-session.ts";

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
    startSession({ ...options, home, model }, "passing", PROMPTING, { takesFiles: true }),
  ]);
  return { home, model, asking, bold, passing, friend, signal, session, peer };
}
