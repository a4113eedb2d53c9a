import { CcmError } from "../core/errors.ts";
import { nearestWord } from "./suggestion.ts";

export interface Known {
  /** The definitions: `pair <host>`. */
  readonly commands: readonly string[];
  /** Of the command at hand, as they are typed: `--json`, `-n`. */
  readonly options: readonly string[];
}

/**
 * What the parser found wrong with the words, as one clear line with a way out. The parser's messages are recognised by their English text; one that is not known here is passed on as it is.
 */
export function usageError(problem: string, words: readonly string[], { commands, options }: Known): CcmError {
  const word = words[0] ?? "";
  const definition = commands.find((command) => command.split(" ")[0] === word);
  if (definition === undefined && !word.startsWith("-")) return unknownCommand(word, commands);
  const command = definition === undefined ? "" : word;
  const later = definition === undefined && words.find((one) => commands.some((known) => known.split(" ")[0] === one));
  if (later) return usage(`the option ${word} stands before its command`, `write it behind: ccm ${later} ${word}`);
  const option = unknownOption(words, options);
  if (option !== undefined) return unknownOptionError(option, command, options);
  return usage(`${command}: ${describeProblem(problem, definition ?? "")}`, helpOf(command));
}

function describeProblem(problem: string, definition: string): string {
  const superfluous = /^Unknown arguments?: ([^,]*)/.exec(problem)?.[1];
  if (superfluous !== undefined) return `"${superfluous}" is one word too many`;
  const valueless = /^Not enough arguments following: (\S+)/.exec(problem)?.[1];
  if (valueless !== undefined) return `--${valueless} needs a value`;
  const [, option, given, choices] = /^Invalid values:\s+Argument: (\w+), Given: (.*), Choices: (.*)/.exec(problem) ?? [];
  if (option !== undefined) return `--${option} cannot be ${given}: it is one of ${choices}`;
  const required = /^Missing required argument: (\w+)/.exec(problem)?.[1];
  if (required !== undefined) return `--${required} is missing`;
  const missing = /<\w+(?:\.\.)?>/.exec(definition)?.[0].replace("..", "");
  if (problem.startsWith("Not enough non-option arguments") && missing !== undefined) return `${missing} is missing`;
  return problem.replace(/\s+/g, " ").trim();
}

/** The first word that is an option and none of these, without its value. */
function unknownOption(words: readonly string[], known: readonly string[]): string | undefined {
  const end = words.indexOf("--");
  const typed = words.slice(0, end === -1 ? undefined : end).filter((word) => /^-[^\d]/.test(word));
  return typed.map((option) => option.replace(/=.*$/s, "")).find((option) => !known.includes(option));
}

function unknownOptionError(option: string, command: string, known: readonly string[]): CcmError {
  const meant = nearestWord(
    option,
    known.filter((one) => one.startsWith("--")),
  );
  return usage(
    `${command === "" ? "" : `${command}: `}there is no option ${option}`,
    meant === undefined ? helpOf(command) : `did you mean: ${meant}`,
  );
}

function unknownCommand(word: string, commands: readonly string[]): CcmError {
  const meant = nearestWord(
    word,
    commands.map((command) => command.split(" ")[0] ?? ""),
  );
  return usage(`there is no command "${word}"`, meant === undefined ? "ccm --help lists them" : `did you mean: ccm ${meant}`);
}

function helpOf(command: string): string {
  return command === "" ? "see ccm --help" : `see ccm ${command} --help`;
}

function usage(message: string, hint: string): CcmError {
  return new CcmError("usage", message, { hint });
}
