import type { Options, PositionalOptions } from "yargs";

/** What a page needs of a command's definition; yargs' own type, as far as it is used. */
export interface Definition {
  readonly command?: string | readonly string[] | undefined;
  readonly describe?: string | false | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: yargs' builder has many forms; ours are functions of a parser
  readonly builder?: any;
}

interface Described {
  readonly options: Map<string, Options>;
  readonly examples: string[];
}

/** The manual page, from the definitions that also make `--help`. */
export function manPage(definitions: readonly Definition[], about: { readonly version: string; readonly date: Date }): string {
  const month = about.date.toISOString().slice(0, 10);
  return [
    `.TH CCM 1 "${month}" "ccm ${about.version}" "User Commands"`,
    ".SH NAME",
    "ccm \\- all Claude Code sessions on all your machines in one group chat",
    ".SH SYNOPSIS",
    ".B ccm",
    ".I command",
    "[\\fIoption\\fR ...]",
    ".SH COMMANDS",
    ...definitions.filter(({ describe }) => describe).flatMap(section),
    ".SH FILES",
    ...FILES.flatMap(([file, what]) => [".TP", `.I ${text(file)}`, text(what)]),
    ".SH EXIT STATUS",
    "0 is success. Each other code has a meaning of its own, listed in the README and named in the errors of \\fB\\-\\-json\\fR.",
    ".SH SEE ALSO",
    ".BR ssh (1),",
    ".BR ssh_config (5)",
    "",
  ].join("\n");
}

const FILES = [
  ["~/.config/claude-code-message/config.json", "the configuration"],
  ["~/.local/state/claude-code-message/", "the state: the trail of messages, the daemon's log and status"],
  ["~/.cache/claude-code-message/", "executables that other machines brought along"],
] as const;

function section({ command, describe, builder }: Definition): string[] {
  const { options, examples } = read(builder);
  const lines = [`.SS ccm ${text(String(command))}`, sentence(describe || "")];
  for (const [name, option] of options) lines.push(".TP", heading(name, option), sentence(option.describe ?? option.description ?? ""));
  if (examples.length > 0) lines.push(".PP", "For example:", ".PP", ".nf", ...examples.map((example) => `    ${text(example)}`), ".fi");
  return lines;
}

/** Has the builder describe its command to a parser that only takes note. */
function read(builder: unknown): Described {
  const described: Described = { options: new Map(), examples: [] };
  const parser: object = new Proxy(
    {
      option: (name: string, option: Options) => described.options.set(`--${name}`, option),
      options: (all: Readonly<Record<string, Options>>) => {
        for (const [name, option] of Object.entries(all)) described.options.set(`--${name}`, option);
      },
      positional: (name: string, option: PositionalOptions) => described.options.set(name, option),
      example: (example: string) => described.examples.push(example),
    } as Readonly<Record<string, (...args: never[]) => unknown>>,
    {
      get: (noted, name) => {
        return (...args: never[]) => {
          noted[String(name)]?.(...args);
          return parser;
        };
      },
    },
  );
  if (typeof builder === "function") builder(parser);
  return described;
}

function heading(name: string, option: Options): string {
  const value = option.choices
    ? option.choices.join("|")
    : option.type === "boolean" || !name.startsWith("--")
      ? ""
      : (option.type ?? "value");
  return `\\fB${text(name)}\\fR${value === "" ? "" : ` \\fI${text(value)}\\fR`}`;
}

function sentence(description: string): string {
  return description === "" ? "" : `${text(description)}.`;
}

/** Nothing in it is taken for a request or an escape. */
function text(plain: string): string {
  return plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1")
    .replaceAll("\n", " ");
}
