import { openBundle } from "./open-bundle.ts";

interface CommandLine {
  runCommandLine(words: readonly string[]): Promise<void>;
}

/** In the executable this stands for `src/cli/command-line.ts`: it opens the second bundle and hands on to it. */
export const runCommandLine: CommandLine["runCommandLine"] = (words) => {
  const commandLine = openBundle("command-line", words[0]) as CommandLine;
  return commandLine.runCommandLine(words);
};
