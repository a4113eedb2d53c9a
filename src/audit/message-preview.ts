import { plainLine } from "../core/plain-text.ts";
import { redactSecrets } from "../core/redact-secrets.ts";

/** Looked at beyond what is kept, so that a secret at the cut is seen whole. */
const MARGIN_CHARACTERS = 4_000;

/** What the trail keeps of a text: one inert line without secrets; nothing at all where `characters` is 0. */
export function messagePreview(text: string, characters: number): { readonly preview?: string } {
  if (characters === 0) return {};
  return { preview: plainLine(redactSecrets(text.slice(0, characters * 8 + MARGIN_CHARACTERS)), characters) };
}
