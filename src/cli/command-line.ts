import yargs, { type Argv, type CommandModule } from "yargs";
import { versionLine } from "../core/version-line.ts";
import { api } from "./commands/api.ts";
import { ask } from "./commands/ask.ts";
import { broadcast } from "./commands/broadcast.ts";
import { COMPLETION, completion } from "./commands/completion.ts";
import { config } from "./commands/config.ts";
import { demo } from "./commands/demo.ts";
import { doctor } from "./commands/doctor.ts";
import { down } from "./commands/down.ts";
import { init } from "./commands/init.ts";
import { log } from "./commands/log.ts";
import { pair } from "./commands/pair.ts";
import { peer } from "./commands/peer.ts";
import { peerSet } from "./commands/peer-set.ts";
import { restart } from "./commands/restart.ts";
import { roster } from "./commands/roster.ts";
import { schema } from "./commands/schema.ts";
import { selftest } from "./commands/selftest.ts";
import { send } from "./commands/send.ts";
import { service } from "./commands/service.ts";
import { status } from "./commands/status.ts";
import { task } from "./commands/task.ts";
import { trace } from "./commands/trace.ts";
import { uninstall } from "./commands/uninstall.ts";
import { unpair } from "./commands/unpair.ts";
import { up } from "./commands/up.ts";
import { update } from "./commands/update.ts";
import { listParserConfiguration, parserConfiguration } from "./options.ts";
import { reportFailure } from "./output/failure.ts";
import { endQuietlyOnClosedPipe } from "./output/print.ts";
import { usageError } from "./usage-error.ts";

/** In the order of the help: set-up, daemon, chat, diagnosis, demonstration. */
// biome-ignore lint/suspicious/noExplicitAny: each command has arguments of its own
export const commands: readonly CommandModule<object, any>[] = [
  init,
  pair,
  unpair,
  peerSet,
  up,
  down,
  restart,
  status,
  roster,
  send,
  ask,
  broadcast,
  peer,
  schema,
  task,
  api,
  trace,
  log,
  config,
  doctor,
  selftest,
  update,
  service,
  uninstall,
  demo,
];

const MAX_HELP_COLUMNS = 100;

/** Runs one `ccm` command to its end; the outcome is in `process.exitCode`. Never rejects. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  // Started by other ccm processes, never typed: they have no place in the help.
  if (words[0] === "daemon") return (await import("../daemon/run-daemon.ts")).runDaemon();
  if (words[0] === "demo-session") return (await import("./demo/run-session.ts")).runSession(words.slice(1));
  endQuietlyOnClosedPipe();
  const parser = buildParser(words);
  try {
    if (words.length === 0) parser.showHelp("log");
    else await parser.parseAsync();
  } catch (error) {
    reportFailure(error, { json: wantsJson(words) });
  }
}

function buildParser(words: readonly string[]): Argv {
  // Of a working directory yargs would want only the package.json, and the directory may be gone.
  const parser: Argv = yargs([...words], "/")
    .scriptName("ccm")
    .usage("All Claude Code sessions on all your machines in one group chat.\n\nUsage: $0 <command>")
    // usageError knows the messages by their English text.
    .locale("en")
    // For the parser several hosts are one argument given several times.
    .parserConfiguration(words[0] === "pair" ? listParserConfiguration : parserConfiguration)
    .demandCommand(1)
    .strict()
    .help()
    .alias("help", "h")
    .version(versionLine())
    .wrap(Math.min(MAX_HELP_COLUMNS, process.stdout.columns ?? MAX_HELP_COLUMNS))
    .epilogue("`ccm <command> --help` says more about one. Exit codes: see the README.")
    .exitProcess(false)
    .fail((problem, error) => {
      if (error && error.name !== "YError") throw error;
      throw usageError(problem ?? error.message, words, { commands: definitions(), options: optionsOf(parser) });
    });
  for (const command of commands) parser.command(command);
  parser.command(completion(() => buildParser([])));
  // Under no name of its own: this is what the scripts ask at each press of the key.
  return parser.completion("--complete", false);
}

/** `init`, `pair <host>`, … */
function definitions(): string[] {
  return [...commands.map(({ command }) => String(command)), COMPLETION];
}

/** What yargs itself lists in a command's help; its types do not tell of it. */
interface Introspection {
  getOptions(): { readonly key: Readonly<Record<string, unknown>>; readonly alias: Readonly<Record<string, readonly string[]>> };
  getGroups(): Readonly<Record<string, readonly string[]>>;
}

/** The options of the command that is being parsed, as they are typed. */
function optionsOf(parser: Argv): string[] {
  const introspection = parser as unknown as Introspection;
  const { key, alias } = introspection.getOptions();
  const positionals = introspection.getGroups()["Positionals:"] ?? [];
  const names = Object.keys(key).filter((name) => !positionals.includes(name));
  return names.flatMap((name) => [name, ...(alias[name] ?? [])]).map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
}

function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).includes("--json");
}
