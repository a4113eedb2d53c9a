import { hostname } from "node:os";

/** Characters; a label is put before every name of its machine, and a session's name has 80. */
export const MAX_LABEL_CHARACTERS = 32;

/** What a label looks like, for messages. */
export const LABEL_RULE = `1 to ${MAX_LABEL_CHARACTERS} of a-z, 0-9 and "-", not first or last "-"`;

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Whether a text can name a machine. Both machines hold the other's label against this. */
export function isLabel(text: string): boolean {
  return text.length <= MAX_LABEL_CHARACTERS && LABEL.test(text);
}

/**
 * The label that a bare host name suggests: its first part, or all numbers of an address (`10.0.0.7` → `10-0-0-7`). Undefined
 * if nothing usable is left.
 */
export function labelFromHost(host: string): string | undefined {
  const isAddress = host.includes(":") || /^\d+(?:\.\d+){3}$/.test(host);
  return reduceToLabel(isAddress ? host : host.replace(/\..*$/, ""));
}

/** What this machine is called until its configuration says otherwise. */
export function defaultLabel(hostName: string = hostname()): string {
  return labelFromHost(hostName) ?? "machine";
}

function reduceToLabel(text: string): string | undefined {
  const reduced = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, MAX_LABEL_CHARACTERS)
    .replace(/-+$/, "");
  return reduced === "" ? undefined : reduced;
}
