import { randomBytes } from "node:crypto";
import type { Paths } from "../core/paths.ts";
import { readFileIfPresent, writePrivateFile } from "../core/private-file.ts";

/**
 * The id under which other machines know this one: random, made once, kept in the state directory. Throws `state_unusable` if it
 * cannot be kept, since an id that changes would make every link start afresh.
 */
export function readMachineId(paths: Paths): string {
  const kept = parse(readFileIfPresent(paths.machineFile));
  if (kept !== undefined) return kept;
  const id = randomBytes(12).toString("hex");
  writePrivateFile(paths.machineFile, `${JSON.stringify({ id })}\n`);
  return id;
}

function parse(text: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string" && value.id !== ""
      ? value.id
      : undefined;
  } catch {
    return undefined;
  }
}
