import fs from "node:fs";
import { MAX_LINE_CHARACTERS } from "../../claude/frames.ts";
import { CcmError } from "../../core/errors.ts";

/** A character is at most this many bytes for each of its UTF-16 code units, so nothing longer can fit. */
const MAX_BYTES_PER_CHARACTER = 3;
const MAX_BYTES = MAX_LINE_CHARACTERS * MAX_BYTES_PER_CHARACTER;

/**
 * All of stdin, as it is, as text. Throws `usage` where stdin is a terminal or nothing, or is empty or not UTF-8, and `too_large` once more has
 * come than any message can hold.
 */
export async function readStdinText(command: string): Promise<string> {
  if (!isPiped()) throw new CcmError("usage", `${command}: there is no text`, { hint: "write it after the name, or pipe it in" });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES)
      throw new CcmError("too_large", `the text has more than ${MAX_BYTES} bytes; a message holds ${MAX_LINE_CHARACTERS} characters`, {
        hint: "send a path or a summary instead",
      });
    chunks.push(chunk);
  }
  if (bytes === 0) throw new CcmError("usage", `${command}: the text on stdin is empty`);
  return decode(Buffer.concat(chunks), command);
}

/** A pipe, a socket (as Node gives its children) or a file; /dev/null and a terminal have nothing to say. */
function isPiped(): boolean {
  try {
    const stat = fs.fstatSync(process.stdin.fd);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    return false;
  }
}

function decode(bytes: Buffer, command: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CcmError("usage", `${command}: stdin is not UTF-8 text`, { hint: "send the path of the file instead", cause });
  }
}
