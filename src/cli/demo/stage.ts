import { setTimeout as delay } from "node:timers/promises";
import { CcmError } from "../../core/errors.ts";
import type { DemoMachine } from "./demo-machine.ts";
import type { Narrator } from "./narrator.ts";
import { runCcm } from "./run-ccm.ts";

/** What every step has at hand. */
export interface Stage {
  readonly narrator: Narrator;
  /** Throwaway. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export interface Expectation {
  readonly exitCode?: number;
  /** Each must be somewhere in the output. */
  readonly shows: readonly string[];
  /** For where the exit code is part of the story. */
  readonly tellsExit?: boolean;
}

const LOOK_AGAIN_MS = 10;
/** Many times what it takes, for a machine that is busy with other things. */
const DEADLINE_MS = 30_000;

/** Runs a command as a person on that machine would, shows it with its output, and holds both against what they should be. */
export async function ccm(stage: Stage, machine: DemoMachine, words: readonly string[], expected: Expectation): Promise<void> {
  const { narrator, signal } = stage;
  const { exitCode: expectedCode = 0, shows, tellsExit = false } = expected;
  narrator.command(machine.label, words);
  const { exitCode, lines } = await runCcm(machine, words, { signal, onLine: (line) => narrator.output(line) });
  if (tellsExit && exitCode !== undefined) narrator.exit(exitCode);
  const command = `\`ccm ${words.join(" ")}\``;
  const ending = exitCode === undefined ? "a signal" : `exit code ${exitCode}`;
  mustHold(exitCode === expectedCode, `${command} ended with ${ending}, where ${expectedCode} was due`);
  const missing = shows.find((text) => !lines.some((line) => line.includes(text)));
  mustHold(missing === undefined, `${command} did not say "${missing}"`);
}

/** Rejects with `timeout` after 30 s. */
export async function until({ signal }: Stage, what: string, isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new CcmError("timeout", `waited ${DEADLINE_MS / 1000} s in vain for ${what}`);
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

export function mustHold(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new CcmError("check_failed", otherwise);
}
