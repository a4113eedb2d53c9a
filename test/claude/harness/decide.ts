import { waitFor } from "../../hosts/harness/wait-for.ts";
import type { ClaudeSession } from "./claude-session.ts";

/** Answers the question about a held message. A dialog that has just come up takes no keys yet, so they are pressed until it has gone. */
export async function decide(session: ClaudeSession, message: string, choice: "Deny" | "Deliver"): Promise<void> {
  await session.waitScreen(new RegExp(`Message body.*${message}.*Deny.*Deliver`, "s"));
  const isAnswered = async () => {
    const screen = await session.screen();
    if (!/❯ (?:Deny|Deliver)/.test(screen)) return true;
    await session.press(screen.includes(`❯ ${choice}`) ? "Enter" : "Down");
    return false;
  };
  await waitFor(isAnswered, {
    what: `${session.name} to be told: ${choice}`,
    deadlineMs: 15_000,
    pollMs: 400,
    otherwise: () => session.screen(),
  });
}
