import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { Config, ConfigFile } from "../../daemon/config.ts";
import { nearestWord } from "../suggestion.ts";

interface Setting {
  readonly about: string;
  /** The command that changes it, where one does more than write the file. */
  readonly command?: string;
}

/** What `ccm config` knows; the schema in `daemon/config.ts` says what is valid. */
export const settings: Readonly<Record<string, Setting>> = {
  label: { about: "what the other machines call this one" },
  grace_seconds: { about: "how long the sessions of a lost machine stay listed, and messages to them wait" },
  audit_preview_chars: { about: "how much of a message's text the log keeps; 0 keeps none" },
  releases: { about: "where ccm update and pairing find releases: an https address, or a directory" },
  peers: { about: "the machines that this one links itself with", command: "ccm pair, ccm unpair" },
  trust: { about: "how far other machines are trusted", command: "ccm peer-set" },
};

/** Throws `usage` for a name that is no setting. */
export function requireSetting(name: string | undefined): string {
  const known = Object.keys(settings);
  if (name !== undefined && known.includes(name)) return name;
  const meant = name === undefined ? undefined : nearestWord(name, known);
  throw new CcmError("usage", name === undefined ? "config: which setting?" : `there is no setting "${plainLine(name, 40)}"`, {
    hint: meant === undefined ? `there are: ${known.join(", ")}` : `did you mean: ${meant}`,
  });
}

export function readSetting(config: Config, name: string): unknown {
  return config[name];
}

/** The file's content with another value, or without one for `default`. What is no valid value is found by the schema afterwards. */
export function withSetting(current: ConfigFile, name: string, text: string): ConfigFile {
  const { command } = settings[name] ?? {};
  if (command !== undefined) throw new CcmError("usage", `${name} is changed by ${command}`, { hint: "or by hand: ccm config edit" });
  const { [name]: _before, ...others } = current;
  return text === "default" ? others : { ...current, [name]: parseValue(text) };
}

/** Numbers, true and false as such; all else is text. */
function parseValue(text: string): unknown {
  return /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text) ? JSON.parse(text) : text;
}
