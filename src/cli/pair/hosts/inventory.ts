import { isJsonObject } from "../../../claude/session-record.ts";
import { CcmError } from "../../../core/errors.ts";
import { labelFromHost } from "../../../core/label.ts";
import { plainLine } from "../../../core/plain-text.ts";
import type { WantedHost } from "./wanted-host.ts";

/** What `ansible-inventory --list` prints: groups by name, and the variables of each host. */
export type Inventory = Readonly<Record<string, unknown>>;

const MAX_GROUPS_NAMED = 10;

/** An inventory in that form, or undefined: then ansible has to read it. */
export function parseInventory(text: string): Inventory | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isJsonObject(value["_meta"]) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The machines of a group, each as its variables say that it is reached: `ccm_ssh_address`, which the role uses too, else
 * `ansible_host`, `ansible_user` and `ansible_port`, else its name. A machine that ansible reaches without a connection is this one,
 * and is left out. Throws `usage` for a group that is not there or has no other machine.
 */
export function hostsOfGroup(inventory: Inventory, group: string, fileName: string): WantedHost[] {
  const names = membersOf(inventory, group, new Set());
  if (names === undefined) throw unknownGroup(inventory, group, fileName);
  const hosts = [...names].flatMap((name) => wantedHost(name, variablesOf(inventory, name), fileName));
  if (hosts.length > 0) return hosts;
  throw new CcmError("usage", `there is no host to pair in ${plainLine(fileName, 100)}, group ${plainLine(group, 60)}`);
}

function membersOf(inventory: Inventory, group: string, seen: Set<string>): Set<string> | undefined {
  // The list does not repeat under `all` what it has under the groups, and says nothing of groups that are empty.
  const content = Object.hasOwn(inventory, group) && group !== "_meta" ? inventory[group] : undefined;
  if (!isJsonObject(content)) return undefined;
  seen.add(group);
  const children = strings(content["children"]).filter((child) => !seen.has(child));
  const inherited = children.flatMap((child) => [...(membersOf(inventory, child, seen) ?? [])]);
  return new Set([...strings(content["hosts"]), ...inherited]);
}

function wantedHost(name: string, variables: Readonly<Record<string, unknown>>, fileName: string): WantedHost[] {
  if (variables["ansible_connection"] === "local") return [];
  const label = scalar(variables["ccm_label"]);
  const host = scalar(variables["ccm_ssh_address"]) ?? addressOf(name, variables);
  return [{ host, label, suggestedLabel: labelFromHost(name), where: `${plainLine(fileName, 100)}, ${plainLine(name, 60)}` }];
}

function addressOf(name: string, variables: Readonly<Record<string, unknown>>): string {
  const host = scalar(variables["ansible_host"]) ?? name;
  const user = scalar(variables["ansible_user"]);
  const port = scalar(variables["ansible_port"]);
  const bracketed = port !== undefined && host.includes(":") ? `[${host}]` : host;
  return `${user === undefined ? "" : `${user}@`}${bracketed}${port === undefined ? "" : `:${port}`}`;
}

function variablesOf(inventory: Inventory, name: string): Readonly<Record<string, unknown>> {
  const meta = inventory["_meta"];
  const all = isJsonObject(meta) ? meta["hostvars"] : undefined;
  const own = isJsonObject(all) && Object.hasOwn(all, name) ? all[name] : undefined;
  return isJsonObject(own) ? own : {};
}

function unknownGroup(inventory: Inventory, group: string, fileName: string): CcmError {
  const known = Object.keys(inventory).filter((name) => name !== "_meta" && name !== "all");
  const named = known.slice(0, MAX_GROUPS_NAMED).map((name) => plainLine(name, 40));
  return new CcmError("usage", `there is no group ${plainLine(group, 60)} in ${plainLine(fileName, 100)}, or nothing in it`, {
    ...(named.length > 0 && { hint: `it has: ${named.join(", ")}${known.length > named.length ? ", …" : ""}` }),
  });
}

function scalar(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
