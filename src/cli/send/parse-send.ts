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

interface Option {
  readonly index: number;
  /** As typed, without its value. */
  readonly rawName: string;
  readonly name: string;
  readonly value: string | undefined;
}

interface Words {
  readonly options: readonly Option[];
  readonly positionals: readonly { readonly index: number; readonly word: string }[];
}

/**
 * `[options] NAME TEXT…`. Words are joined by a space; `-` or no text means stdin. An option in the middle of the text could be
 * part of it, so it is refused instead of swallowed; behind `--` everything is text. Throws `usage`.
 */
export function parseSend(words: readonly string[]): SendArguments {
  const { options, positionals } = sortWords(words);
  refuseUnclearOptions(options, positionals);
  refuseSeparateWait(words, options);
  const [name, ...text] = positionals.map(({ word }) => word);
  if (name === undefined) throw usage("send needs a name and a text", "ccm roster lists the names");
  if (name === "") throw usage("the name is empty", "ccm roster lists the names");
  const isFromStdin = text.length === 0 || (text.length === 1 && text[0] === "-");
  const json = options.some((option) => option.name === "json");
  const wait = options.findLast((option) => option.name === "wait");
  return {
    name,
    text: isFromStdin ? undefined : text.join(" "),
    json,
    ...(wait && { waitMs: parseWait(wait.value) }),
  };
}

/** Node's own `parseArgs` would be a tenth of the time that a message takes here. */
function sortWords(words: readonly string[]): Words {
  const end = words.indexOf("--");
  const options: Option[] = [];
  const positionals: { index: number; word: string }[] = [];
  for (const [index, word] of words.entries()) {
    const isOption = word.startsWith("-") && word !== "-" && (end === -1 || index < end);
    if (isOption) options.push({ index, ...splitOption(word) });
    else if (index !== end) positionals.push({ index, word });
  }
  return { options, positionals };
}

/** `--name`, `--name=value`, or letters behind one dash, of which the first counts. */
function splitOption(word: string): Omit<Option, "index"> {
  if (!word.startsWith("--")) return { rawName: word.slice(0, 2), name: word.slice(1, 2), value: undefined };
  const equals = word.indexOf("=");
  const rawName = equals === -1 ? word : word.slice(0, equals);
  return { rawName, name: rawName.slice(2), value: equals === -1 ? undefined : word.slice(equals + 1) };
}

function parseWait(value: string | undefined): number {
  return value === undefined ? DEFAULT_WAIT_MS : parseSeconds(value, "send: --wait");
}

function refuseUnclearOptions(options: Words["options"], positionals: Words["positionals"]): void {
  const firstText = positionals[1]?.index ?? Number.POSITIVE_INFINITY;
  const lastText = positionals.at(-1)?.index ?? -1;
  for (const { index, name, rawName, value } of options) {
    if (!Object.hasOwn(sendOptions, name)) throw unknownOption(rawName);
    if (value !== undefined && name !== "wait") throw usage(`send: ${rawName} takes no value`);
    if (index > firstText && index < lastText)
      throw usage(`send: is ${rawName} an option or part of the text?`, "quote the text, or write -- before it");
  }
}

/** `--wait 30` would make 30 the name or the beginning of the text. */
function refuseSeparateWait(words: readonly string[], options: Words["options"]): void {
  const bare = options.find(({ name, value }) => name === "wait" && value === undefined);
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
