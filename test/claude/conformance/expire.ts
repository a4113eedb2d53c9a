import type { ReceiptFrame } from "../../../src/claude/frames.ts";
import { inThrowawayDirectory } from "../../../src/core/in-throwaway-directory.ts";
import { OurPeer } from "../../../src/selftest/our-peer.ts";
import { LONGEST_SOCKET, SelftestHome } from "../../../src/selftest/selftest-home.ts";
import { StandInModel } from "../../../src/selftest/stand-in-model.ts";
import { startSession } from "../../../src/selftest/start-session.ts";
import { until } from "../../../src/selftest/until.ts";
import { requireTool } from "../../hosts/harness/prerequisites.ts";

/** The shortest that `dialogExpiry` takes. */
export const EXPIRY_MS = 60_000;

/** Sends a message that a session holds and nobody decides on, and returns the receipts for it when it has expired. */
export async function letExpire(claude: string): Promise<readonly ReceiptFrame[]> {
  const done = await inThrowawayDirectory({ prefix: "ccm-expiry-", longestSocket: LONGEST_SOCKET }, async (directory, signal) => {
    await using resources = new AsyncDisposableStack();
    const home = new SelftestHome(directory);
    const model = resources.adopt(await StandInModel.start(), (started) => started.close());
    const settings = JSON.stringify({ dialogExpiry: `${EXPIRY_MS / 1000}s` });
    const script = requireTool("script");
    const args = ["--dangerously-skip-permissions", "--settings", settings];
    const session = await startSession({ home, model, claude, script, signal }, "bold", args);
    const peer = resources.adopt(await OurPeer.open(home, "patient", signal), (opened) => opened.close());
    const id = await peer.send(session.target, "nobody answers this");
    await peer.waitReceipt(id, "held");
    const isOver = () => peer.receipts(id).length > 1;
    await until(isOver, { what: "the receipt expired", signal, deadlineMs: EXPIRY_MS * 1.5 });
    return peer.receipts(id);
  });
  return done?.result ?? [];
}
