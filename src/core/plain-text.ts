/**
 * Control characters of C0, DEL, C1, the line and paragraph separators, and the marks that reorder or hide text.
 * A terminal or a reader must never act on one that came from a session, a peer or a file.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/gu;

/**
 * Text of others as one inert line: escape sequences removed, control characters replaced by a space, runs of white space
 * folded, lone surrogates replaced, cut to `maxCharacters` code points with an ellipsis.
 */
export function plainLine(text: string, maxCharacters = 200): string {
  // Cut early: what follows is linear, but the input may be a megabyte.
  const head = text.length > maxCharacters * 8 ? text.slice(0, maxCharacters * 8) : text;
  const line = head.replace(ESCAPE_SEQUENCE, "").replace(UNSAFE, " ").toWellFormed().replace(/\s+/gu, " ").trim();
  const characters = Array.from(line);
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join("")}…` : line;
}

/** As {@link plainLine}, keeping line breaks: for text of several lines shown on a terminal. */
export function plainText(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCE, "")
    .split("\n")
    .map((line) => line.replace(UNSAFE, " ").toWellFormed())
    .join("\n");
}
