import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { randomHex } from "../core/random.ts";

/** Many times what a selftest makes. */
const MAX_OUTPUT_CHARACTERS = 4_000_000;
/** Escape sequences of which nothing is shown, and those that move the cursor, which separate what is shown. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's output is made of them
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/gu;

export interface TerminalStart {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The system's `script`, which gives a program a terminal, if it is on that PATH. */
export function findScript(searchPath: string): string | undefined {
  const directories = searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory));
  return directories.map((directory) => path.join(directory, "script")).find((file) => fs.existsSync(file));
}

/** A program in a terminal of 160 × 50 of its own, without one of ours. It ends when its process is ended. */
export class Terminal {
  readonly #child: ChildProcess;
  #output = "";
  /** What comes out when the program has ended: `cat` stays as long as it is written to. */
  readonly #end = `ended-${randomHex(8)}`;
  #hasEnded = false;

  constructor(script: string, { command, cwd, env }: TerminalStart) {
    // A pipe, as the shell makes it: the `script` of macOS refuses the socket that Node calls one.
    const program = process.platform === "darwin" ? '"$0" -q /dev/null /bin/sh "$1"' : '"$0" -qc "exec /bin/sh $1" /dev/null';
    const start = path.join(cwd, ".start");
    fs.writeFileSync(start, `stty rows 50 cols 160\nexec ${command.map(shellWord).join(" ")}\n`, { mode: 0o600 });
    this.#child = spawn("/bin/sh", ["-c", `cat | { ${program}; printf %s "$2"; }`, script, "./.start", this.#end], {
      cwd,
      env,
      detached: true,
      stdio: "pipe",
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    this.#child.stdin?.on("error", () => {});
    const end = () => {
      this.#hasEnded = true;
    };
    this.#child.once("close", end).once("error", end);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Keys as they are pressed. */
  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** How much has been written so far: a place to read {@link shown} from. */
  get position(): number {
    return this.#output.length;
  }

  /** The words written to the terminal since a position, in the order in which they were; not the picture that they make. */
  shown(since = 0): string {
    return this.#output.slice(since).replace(ESCAPES, " ").replace(/\s+/g, " ");
  }

  #keep(text: string): void {
    if (this.#output.length < MAX_OUTPUT_CHARACTERS) this.#output += text;
    if (!this.#output.endsWith(this.#end)) return;
    this.#output = this.#output.slice(0, -this.#end.length);
    this.#hasEnded = true;
    this.#child.stdin?.end();
  }
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
