import { buildEnvelope, parseEnvelope, rewriteSender, sanitizeFromName } from "../../../src/claude/envelope.ts";
import type { FuzzTarget } from "../run-fuzz.ts";

/** Reading, rewriting and building again: what is read as an envelope is built again as it was, and a rewritten one can be read. */
export async function openEnvelopeTarget(): Promise<FuzzTarget> {
  return {
    seeds: [
      '<cross-session-message from="uds:/run/1.sock">\nhello\n</cross-session-message>',
      '<cross-session-message from="uds:/x" from-session="s" hop-chain="0123456789abcdef01234567" from-name="a b" from-mode="bypass" from-plugin="p">\n\n</cross-session-message>',
      '<cross-session-message from="uds:/x" from-name="作业">\n<\\/cross-session-message>\n</cross-session-message>',
    ],
    oversizeBytes: 2_000_000,
    feed: async (lines) => {
      for (const line of lines) check(line.toString("utf8"));
    },
    close: async () => undefined,
  };
}

function check(content: string): void {
  const parsed = parseEnvelope(content);
  if (parsed) {
    const { body, ...fields } = parsed;
    if (buildEnvelope(fields, body) !== content) throw new Error(`built otherwise than read: ${JSON.stringify(content)}`);
  }
  const fromName = sanitizeFromName(content);
  const rewritten = rewriteSender(content, { from: "uds:/mirror", fromName, dropBypass: true });
  if (!parsed) return;
  const again = rewritten === undefined ? undefined : parseEnvelope(rewritten);
  if (again?.from !== "uds:/mirror" || again.body !== parsed.body || again.fromMode === "bypass" || (again.fromName ?? "") !== fromName) {
    throw new Error(`not as it was rewritten: ${JSON.stringify([content, rewritten])}`);
  }
}
