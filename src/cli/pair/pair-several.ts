import { toCcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { Turns } from "../../link/turns.ts";
import { failureReport, reportFailure } from "../output/failure.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { describePairing, type Pairing, pairingReport } from "./describe-pairing.ts";
import { PairBoard } from "./pair-board.ts";
import { type PairRequest, pairMachine } from "./pair-machine.ts";
import { silentReporter } from "./push-progress.ts";

/** An ssh handshake is work, and a machine that is new is sent the executable: more at once would only be slower each, and time out. */
const AT_ONCE = 8;

type Outcome = { readonly host: string; readonly pairing: Pairing } | { readonly host: string; readonly error: unknown };

/** Pairs machines, several at once. One that fails keeps no other from its link; the exit code is that of the first in the order given that failed. */
export async function pairSeveral(requests: readonly Omit<PairRequest, "reporter">[], { json }: { json: boolean }): Promise<void> {
  const board = new PairBoard(process.stderr);
  const turns = new Turns(AT_ONCE);
  const settling = requests.map((request) => {
    const row = json ? silentRow : board.open(request.host);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    turns.take(() => settle(request, row).then(resolve));
    return promise;
  });
  const outcomes = await Promise.all(settling);
  board.clear();
  if (json) printJson({ machines: outcomes.map(toReport) });
  const style = styleFor(process.stdout);
  for (const outcome of json ? [] : outcomes) {
    if ("pairing" in outcome) print(describePairing(outcome.pairing, style));
    else reportFailure(outcome.error, { json: false });
  }
  const [failed] = outcomes.flatMap((outcome) => ("error" in outcome ? [toCcmError(outcome.error)] : []));
  if (failed) process.exitCode = failed.exitCode;
}

const silentRow = { ...silentReporter, finish() {} };

async function settle(request: Omit<PairRequest, "reporter">, row: ReturnType<PairBoard["open"]>): Promise<Outcome> {
  const { host } = request;
  try {
    const pairing = await pairMachine({ ...request, reporter: row });
    row.finish("linked");
    return { host, pairing };
  } catch (error) {
    row.finish(`failed: ${plainLine(toCcmError(error).message, 160)}`);
    return { host, error };
  }
}

function toReport(outcome: Outcome): object {
  return "pairing" in outcome ? pairingReport(outcome.pairing) : { host: outcome.host, ...failureReport(toCcmError(outcome.error)) };
}
