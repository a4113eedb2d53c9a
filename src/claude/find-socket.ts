import fs from "node:fs";
import { systemErrorCode } from "../core/errors.ts";

/** What stands at a socket's path; `fault` says why nobody should connect to it. Follows no link and never throws. */
export function findSocket(
  socketPath: string,
): { readonly fault?: undefined } | { readonly fault: "missing" | "unsafe"; readonly detail: string } {
  let found: fs.Stats | undefined;
  try {
    found = fs.lstatSync(socketPath, { throwIfNoEntry: false });
  } catch (error) {
    return { fault: "missing", detail: systemErrorCode(error) ?? String(error) };
  }
  if (!found) return { fault: "missing", detail: "no such socket" };
  if (found.isSymbolicLink()) return { fault: "unsafe", detail: "a symlink" };
  if (!found.isSocket()) return { fault: "unsafe", detail: "not a socket" };
  if (found.uid !== process.geteuid?.()) return { fault: "unsafe", detail: `a socket of uid ${found.uid}` };
  return {};
}
