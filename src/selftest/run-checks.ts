import { toCcmError } from "../core/errors.ts";
import type { Check, Stage } from "./check.ts";
import { Broken, type Outcome, SwitchedOff, Unchecked } from "./outcome.ts";

export interface CheckResult {
  readonly check: Check;
  readonly outcome: Outcome;
  readonly tookMs: number;
}

/** Makes the checks, lane beside lane, and returns their results in the order given. Rejects only when the stage's signal aborts. */
export async function runChecks(stage: Stage, checks: readonly Check[], onResult: (result: CheckResult) => void): Promise<CheckResult[]> {
  const results = new Map<Check, CheckResult>();
  const runLane = async (lane: readonly Check[]): Promise<void> => {
    for (const check of lane) {
      const startedMs = performance.now();
      const outcome = await judge(stage, check);
      const result = { check, outcome, tookMs: Math.round(performance.now() - startedMs) };
      results.set(check, result);
      onResult(result);
    }
  };
  await Promise.all([...Map.groupBy(checks, ({ lane }) => lane).values()].map(runLane));
  return checks.flatMap((check) => results.get(check) ?? []);
}

async function judge(stage: Stage, check: Check): Promise<Outcome> {
  try {
    const detail = await check.run(stage);
    return typeof detail === "string" ? { kind: "holds", detail } : { kind: "holds" };
  } catch (error) {
    stage.signal.throwIfAborted();
    if (error instanceof Broken) return { kind: "broken", detail: error.message };
    if (error instanceof SwitchedOff) return { kind: "off", detail: error.message };
    if (error instanceof Unchecked) return { kind: "unchecked", detail: error.message };
    return { kind: "unchecked", detail: toCcmError(error).message };
  }
}
