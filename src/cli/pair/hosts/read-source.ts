import fs from "node:fs";
import { text } from "node:stream/consumers";
import { CcmError, systemErrorCode } from "../../../core/errors.ts";
import { plainLine } from "../../../core/plain-text.ts";

/** A line for each of thousands of hosts, or all that ansible knows of them. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The text of a file, or of stdin for `-`. Rejects with `usage` where there is none, or too much. */
export async function readSource(file: string): Promise<string> {
  if (file === "-") return text(process.stdin);
  try {
    const { size } = fs.statSync(file);
    if (size > MAX_BYTES) throw new CcmError("usage", `${plainLine(file, 100)} is larger than ${MAX_BYTES} bytes`);
    return fs.readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new CcmError("usage", `cannot read ${plainLine(file, 100)} (${code})`, { cause: error });
  }
}

/** How a person calls it in a message. */
export function nameOfSource(file: string): string {
  return file === "-" ? "stdin" : file;
}
