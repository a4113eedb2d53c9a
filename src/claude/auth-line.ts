import { isJsonObject } from "./session-record.ts";

/** The first line of every connection to an inbox. */
export function authLine(token: string): string {
  return JSON.stringify({ type: "auth", token });
}

/** The token that an auth line presents, or undefined for any other line. */
export function presentedToken(line: unknown): string | undefined {
  if (!isJsonObject(line) || line["type"] !== "auth") return undefined;
  return typeof line["token"] === "string" ? line["token"] : "";
}

/** Takes the same time wherever the two differ. */
export function isSameToken(presented: string, expected: string): boolean {
  const left = Buffer.from(presented);
  const right = Buffer.from(expected);
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index % right.length] ?? 0);
  return difference === 0;
}
