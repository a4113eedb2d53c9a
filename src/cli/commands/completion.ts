import path from "node:path";
import type { Argv, CommandModule } from "yargs";
import { fishCompletion } from "../fish-completion.ts";
import { print } from "../output/print.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const COMPLETION = "completion [shell]";

interface Arguments {
  readonly shell: (typeof SHELLS)[number] | undefined;
}

/** `makeParser`: yargs reads which shell it writes for from the environment, when a parser is made. */
export function completion(makeParser: () => Argv): CommandModule<object, Arguments> {
  return {
    command: COMPLETION,
    describe: "Print a completion script for bash, zsh or fish",
    builder: (yargs) =>
      yargs
        .positional("shell", { choices: SHELLS, describe: "Which shell (default: yours)" })
        .example("ccm completion bash >> ~/.bashrc", "")
        .example("ccm completion fish > ~/.config/fish/completions/ccm.fish", ""),
    handler({ shell = ownShell() }) {
      if (shell === "fish") return print(fishCompletion);
      process.env.SHELL = `/bin/${shell}`;
      delete process.env["ZSH_NAME"];
      makeParser().showCompletionScript();
    },
  };
}

function ownShell(): Arguments["shell"] {
  const name = path.basename(process.env.SHELL ?? "");
  return SHELLS.find((shell) => shell === name) ?? "bash";
}
