import fs from "node:fs";
import path from "node:path";
import SSHConfig, { type Line, LineType } from "ssh-config";
import { CcmError, systemErrorCode } from "../../core/errors.ts";

/** One directive, wherever it stands: the words of its value, and the directives that a Host, Match or Include brings in. */
export interface Directive {
  /** In lower case. */
  readonly keyword: string;
  readonly words: readonly string[];
  /** The value as one text, with the quotes that a command needs. */
  readonly text: string;
  readonly children: readonly Directive[];
  readonly file: string;
}

export interface ConfigFile {
  readonly file: string;
  /** Where its relative Includes are looked for. */
  readonly directory: string;
}

/** As OpenSSH. */
const MAX_INCLUDES = 16;

/**
 * The directives of a file, its Includes read in. A file that is not there has none. Throws `ssh_config_unsupported` with the file and the
 * reason for one that cannot be read or understood, since a rule could stand in it.
 */
export function readConfigFile({ file, directory }: ConfigFile, home: string, depth = 0): Directive[] {
  const include = (pattern: string): Directive[] => {
    if (depth === MAX_INCLUDES) throw unreadable(file, `more than ${MAX_INCLUDES} Includes lead on from one to the next`);
    const absolute = path.resolve(directory, pattern.replace(/^~(?=\/)/, home));
    return fs
      .globSync(absolute)
      .sort()
      .flatMap((included) => readConfigFile({ file: included, directory }, home, depth + 1));
  };
  const toDirectives = (lines: readonly Line[]): Directive[] =>
    lines.flatMap((line) => {
      if (line.type !== LineType.DIRECTIVE) return [];
      const keyword = line.param.toLowerCase();
      const values = typeof line.value === "string" ? [{ val: line.value, separator: "" }] : line.value;
      const words = values.map(({ val }) => val);
      const children = keyword === "include" ? words.flatMap(include) : "config" in line ? toDirectives(line.config) : [];
      return [{ keyword, words, text: values.map(asWritten).join("").trim(), children, file }];
    });
  return toDirectives(parse(file));
}

function asWritten({ val, separator, quoted }: { val: string; separator: string; quoted?: boolean }): string {
  return `${separator}${quoted ? `"${val}"` : val}`;
}

function parse(file: string): readonly Line[] {
  try {
    return SSHConfig.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw unreadable(file, code ?? (error instanceof Error ? error.message : String(error)));
  }
}

function unreadable(file: string, reason: string): CcmError {
  return new CcmError("ssh_config_unsupported", `cannot make sense of ${file}: ${reason}`, {
    hint: "mend that file, or install OpenSSH's client: ccm then has ssh read it",
  });
}
