import fs from "node:fs";
import path from "node:path";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { ensurePrivateDirectory, readFileIfPresent } from "../core/private-file.ts";
import { randomHex } from "../core/random.ts";

const TOKEN_BYTES = 32;
const READABLE_BY_OTHERS = 0o077;
const MAX_FILE_BYTES = 1_024;

/**
 * The token that a client must present, from a file that this user alone can read; made on first use. A person may put one of their own
 * there. Throws `state_unusable` for a file that others can read, that is a link, or that holds no token.
 */
export function accessToken(file: string): string {
  ensurePrivateDirectory(path.dirname(file));
  if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) createToken(file);
  const found = fs.lstatSync(file);
  if (!found.isFile() || found.size > MAX_FILE_BYTES) throw unusable(file, "is no token file");
  if (found.uid !== process.geteuid?.()) throw unusable(file, "belongs to another user");
  if ((found.mode & READABLE_BY_OTHERS) !== 0) throw unusable(file, "can be read by others", `chmod 600 ${file}`);
  const token = readFileIfPresent(file)?.trim() ?? "";
  if (!/^[\x21-\x7e]{32,}$/.test(token)) throw unusable(file, "holds no token: 32 or more printable characters without a space");
  return token;
}

/** In one step, so that of two that start at once both read the same one. */
function createToken(file: string): void {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.${randomHex(4)}`);
  try {
    fs.writeFileSync(temporary, `${randomHex(TOKEN_BYTES)}\n`, { mode: 0o600, flag: "wx" });
    fs.linkSync(temporary, file);
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw unusable(file, `cannot be written: ${systemErrorCode(error) ?? String(error)}`);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

function unusable(file: string, fault: string, hint = "remove it, and a new one is made at the next start"): CcmError {
  return new CcmError("state_unusable", `the token file ${file} ${fault}`, { hint });
}
