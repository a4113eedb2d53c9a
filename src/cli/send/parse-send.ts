import { parseArgs } from "node:util";
import { CcmError } from "../../core/errors.ts";
import { nearestWord } from "../suggestion.ts";
import { parseSeconds } from "./parse-seconds.ts";
import { sendOptions } from "./send-options.ts";

/** Whether a message is held is known within a second. */
const DEFAULT_WAIT_MS = 5_000;

export interface SendArguments {
  readonly name: string;
  /** Undefined: the text comes from stdin. */
  readonly text: string | undefined;
  readonly json: boolean;
  /** How long to follow the message; not at all where it is absent. */
  readonly waitMs?: number;
}

interface Token {
  readonly kind: string;
  readonly index: number;
  readonly rawName?: string;
  readonly name?: string;
  readonly value?: unknown;
}

/**
 * `[options] NAME TEXT…`. Words are joined by a space; `-` or no text means stdin. An option in the middle of the text could be
 * part of it, so it is refused instead of swallowed; behind `--` everything is text. Throws `usage`.
 */
export function parseSend(words: readonly string[]): SendArguments {
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
    // The value of --wait stands behind "=" only: the word after it is the name.
    options: { json: { type: "boolean" }, wait: { type: "boolean" } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  refuseUnclearOptions(tokens);
  refuseSeparateWait(words, tokens);
  const [name, ...text] = positionals;
  if (name === undefined) throw usage("send needs a name and a text", "ccm roster lists the names");
  if (name === "") throw usage("the name is empty", "ccm roster lists the names");
  const isFromStdin = text.length === 0 || (text.length === 1 && text[0] === "-");
  const waitMs = parseWait(values["wait"]);
  return { name, text: isFromStdin ? undefined : text.join(" "), json: values.json === true, ...(waitMs !== undefined && { waitMs }) };
}

function parseWait(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  return value === true ? DEFAULT_WAIT_MS : parseSeconds(String(value), "send: --wait");
}

function refuseUnclearOptions(tokens: readonly Token[]): void {
  const positionals = tokens.filter(({ kind }) => kind === "positional").map(({ index }) => index);
  const firstText = positionals[1] ?? Number.POSITIVE_INFINITY;
  const lastText = positionals.at(-1) ?? -1;
  for (const { kind, index, name = "", rawName = "", value } of tokens) {
    if (kind !== "option") continue;
    if (!Object.hasOwn(sendOptions, name)) throw unknownOption(rawName);
    if (value !== undefined && name !== "wait") throw usage(`send: ${rawName} takes no value`);
    if (index > firstText && index < lastText)
      throw usage(`send: is ${rawName} an option or part of the text?`, "quote the text, or write -- before it");
  }
}

/** `--wait 30` would make 30 the name or the beginning of the text. */
function refuseSeparateWait(words: readonly string[], tokens: readonly Token[]): void {
  const bare = tokens.find(({ kind, name, value }) => kind === "option" && name === "wait" && value === undefined);
  const next = bare && words[bare.index + 1];
  if (next !== undefined && /^\d+(?:\.\d+)?$/.test(next))
    throw usage(`send: is ${next} the time to wait, or text?`, `write --wait=${next}, or -- before the text`);
}

function unknownOption(rawName: string): CcmError {
  const known = Object.keys(sendOptions).map((name) => `--${name}`);
  const meant = nearestWord(rawName, [...known, "--help"]);
  const hint = "write -- before a text that begins with a dash";
  return usage(`send: there is no option ${rawName}`, meant === undefined ? hint : `did you mean: ${meant}`);
}

function usage(message: string, hint = "see ccm send --help"): CcmError {
  return new CcmError("usage", message, { hint });
}
