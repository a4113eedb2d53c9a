import { plainLine } from "../core/plain-text.ts";
import { redactSecrets } from "../core/redact-secrets.ts";

/** Code points of a task, wherever it is stored, shared or shown. */
export const MAX_TASK_CHARACTERS = 140;
/** Of a prompt nothing further on is looked at, except for the end of what is wrapped. */
const MAX_LINE_CHARACTERS = 4_000;

/** What Claude Code, an editor or another session puts into a prompt around or instead of a person's words: `<some-tag …>…</some-tag>`. */
const WRAPPED = /^<([a-z]+(?:[-_][a-z]+)+)[\s>]/;
/** `/compact`, `/plugin:command x`; a path has a second slash. */
const SLASH_COMMAND = /^\/[\w:.-]+(?:\s|$)/;
/** Notices that stand as a prompt of their own. */
const NOTICE = /^(?:\[(?:Cross-session|Request interrupted|SYSTEM NOTIFICATION)|Caveat: The messages below)/;

/** What a prompt says that its session works on: its first line, clean. Undefined for slash commands and for what no person typed. */
export function taskFromPrompt(prompt: string): string | undefined {
  const typed = withoutWrapped(prompt);
  if (typed === "" || SLASH_COMMAND.test(typed) || NOTICE.test(typed)) return undefined;
  return cleanTask(typed.slice(0, MAX_LINE_CHARACTERS).split(/[\r\n]/, 1)[0] ?? "") || undefined;
}

/** Any text as a task: one inert line without secrets, at most 140 characters. */
export function cleanTask(text: string): string {
  return plainLine(redactSecrets(plainLine(text.slice(0, MAX_LINE_CHARACTERS), MAX_LINE_CHARACTERS)), MAX_TASK_CHARACTERS);
}

/** Takes off the wrapped blocks that a prompt begins with. One without an end is all of it. */
function withoutWrapped(prompt: string): string {
  let rest = prompt.trimStart();
  for (let tag = WRAPPED.exec(rest)?.[1]; tag !== undefined; tag = WRAPPED.exec(rest)?.[1]) {
    const closing = `</${tag}>`;
    const end = rest.indexOf(closing);
    if (end === -1) return "";
    rest = rest.slice(end + closing.length).trimStart();
  }
  return rest;
}
