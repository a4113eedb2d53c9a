import { sha256 } from "../core/sha256.ts";

/** The six hexadecimal digits that ListAgents prints behind a session's name, as in `web-ui [fe6866]`: a mark of its inbox's path. */
export function sessionReference(socketPath: string): string {
  return sha256(`session:${socketPath}`).slice(0, 6);
}
