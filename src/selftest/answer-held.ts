import type { ClaudeSession } from "./claude-session.ts";
import { Unchecked } from "./outcome.ts";

const DOWN = "\u001b[B";
const ENTER = "\r";
const CHOSEN = /\u276f (Deny|Deliver)/g;
/** A dialog that has just come up takes no keys yet, and keeps those that come for a while. */
const PRESS_AGAIN_MS = 1_000;
const MAX_PRESSES = 20;
/** A key that came late may still move the choice. */
const SETTLE_MS = 400;

export type Choice = "Deny" | "Deliver";

/**
 * Answers the question about a held message, as its person does. `since` is a position of the terminal before the message was sent.
 * Settles when `isAnswered` says that its sender has been told.
 */
export async function answerHeld(session: ClaudeSession, since: number, choice: Choice, isAnswered: () => boolean): Promise<void> {
  await session.waitShown(/\u276f Deny.*Deliver/, since);
  const chosen = () => [...session.terminal.shown(since).matchAll(CHOSEN)].at(-1)?.[1];
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    const isChosen = chosen() === choice && !(await session.soon(() => chosen() !== choice, SETTLE_MS));
    session.terminal.write(isChosen ? ENTER : DOWN);
    const hasDone = isChosen ? isAnswered : () => chosen() === choice;
    if ((await session.soon(hasDone, PRESS_AGAIN_MS)) && isChosen) return;
  }
  throw new Unchecked(`the question about the held message took no answer; the screen says ${session.terminal.shown(since).slice(-300)}`);
}
