import { CcmError } from "../core/errors.ts";
import { nearestWord } from "./suggestion.ts";

const OPTIONS = [
  "--json",
  "--all",
  "--label",
  "--attest",
  "--transport",
  "--accept-new-host-key",
  "--inventory",
  "--group",
  "--timeout",
  "--watch",
  "--node",
  "--local",
  "--name",
  "--alias",
  "--inbound",
  "--session-id",
  "--mode",
  "--match",
  "--except",
  "--dry-run",
  "--hooks",
  "--hosts",
  "--lines",
  "--follow",
  "--ev",
  "--peer",
  "--member",
  "--since",
  "--until",
  "--grep",
  "--format",
  "--claude",
  "--check",
  "--to",
  "--from",
  "--rollback",
  "--restart",
  "--help",
  "--version",
];
const SHORT_OPTIONS = ["-h", "-n", "-f"];

/**
 * What the parser found wrong with the words, as one clear line with a way out. `commands` are the definitions (`pair <host>`).
 * The parser's messages are recognised by their English text; one that is not known here is passed on as it is.
 */
export function usageError(problem: string, words: readonly string[], commands: readonly string[]): CcmError {
  const word = words[0] ?? "";
  const definition = commands.find((command) => command.split(" ")[0] === word);
  if (definition === undefined && !word.startsWith("-")) return unknownCommand(word, commands);
  const command = definition === undefined ? "" : word;
  const option = unknownOption(words);
  if (option !== undefined) return unknownOptionError(option, command);
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

/** The first word that is an option and none of ours, without its value. */
function unknownOption(words: readonly string[]): string | undefined {
  const end = words.indexOf("--");
  const options = words.slice(0, end === -1 ? undefined : end).filter((word) => /^-[^\d]/.test(word));
  return options.map((option) => option.replace(/=.*$/s, "")).find((option) => ![...OPTIONS, ...SHORT_OPTIONS].includes(option));
}

function unknownOptionError(option: string, command: string): CcmError {
  const meant = nearestWord(option, OPTIONS);
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
