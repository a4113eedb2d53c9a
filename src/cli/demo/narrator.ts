import { shellWord } from "../../members/member-address.ts";
import type { Style } from "../output/style.ts";

const TEXT_INDENT = "   ";
const OUTPUT_INDENT = "     ";
/** The names of the sessions, one under the other, and what they do beside them. */
const NAME_COLUMNS = 8;
const DEED_COLUMNS = 27;
/** Of a word that needs no quotes although it looks like more than a name. */
const OPTION = /^--[a-z]+$/;

interface Output {
  write(text: string): unknown;
}

/** Everything that the demo says, in one place and one look. */
export class Narrator {
  readonly #output: Output;
  readonly #style: Style;
  #steps = 0;
  #heading = "";

  constructor(output: Output, style: Style) {
    this.#output = output;
    this.#style = style;
  }

  /** The step that is under way, for the message that it failed. */
  get step(): string {
    return this.#steps === 0 ? "before its first step" : `at step ${this.#steps}, "${this.#heading}"`;
  }

  title(name: string, ...lines: readonly string[]): void {
    this.#line(`${this.#style.strong(name)}${lines.map((line) => `\n${line}`).join("")}`);
  }

  begin(heading: string): void {
    this.#steps += 1;
    this.#heading = heading;
    this.#line(`\n${this.#style.strong(`${this.#steps}  ${heading}`)}`);
  }

  say(...lines: readonly string[]): void {
    for (const line of lines) this.#line(`${TEXT_INDENT}${line}`);
  }

  command(machine: string, words: readonly string[]): void {
    const typed = ["ccm", ...words].map((word) => (OPTION.test(word) ? word : shellWord(word))).join(" ");
    this.#line(`\n${TEXT_INDENT}${this.#style.quiet(machine)} $ ${this.#style.strong(typed)}`);
  }

  /** A line of what a command printed. */
  output(line: string): void {
    this.#line(line === "" ? "" : `${OUTPUT_INDENT}${line}`);
  }

  exit(code: number): void {
    this.#line(`${OUTPUT_INDENT}${this.#style.quiet(`exit ${code}`)}`);
  }

  /** What a session does or gets, and the text of a message. */
  session(name: string, deed: string, text = ""): void {
    const paddedDeed = text === "" ? deed : `${deed.padEnd(DEED_COLUMNS)}${this.#style.strong(text)}`;
    this.#line(`${TEXT_INDENT}${this.#style.good(name.padEnd(NAME_COLUMNS))}${paddedDeed}`);
  }

  gap(): void {
    this.#line("");
  }

  end(text: string): void {
    this.#line(`\n${this.#style.good(text)}`);
  }

  #line(text: string): void {
    this.#output.write(`${text}\n`);
  }
}
