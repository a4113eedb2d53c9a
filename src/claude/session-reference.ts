import { createHash } from "node:crypto";

/** The six hexadecimal digits that ListAgents prints behind a session's name, as in `web-ui [fe6866]`: a mark of its inbox's path. */
export function sessionReference(socketPath: string): string {
  return createHash("sha256").update(`session:${socketPath}`).digest("hex").slice(0, 6);
}
