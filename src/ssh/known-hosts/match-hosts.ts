import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether the first field of a known_hosts line means this name: patterns with `*` and `?` divided by commas, where one that
 * begins with `!` and matches rules the whole line out, or one hashed name. `name` is lower case, `[host]:port` unless the port is 22.
 */
export function matchesHosts(hosts: string, name: string): boolean {
  if (hosts.startsWith("|")) return matchesHashed(hosts, name);
  let matched = false;
  for (const item of hosts.toLowerCase().split(",")) {
    const negated = item.startsWith("!");
    if (!matchesPattern(negated ? item.slice(1) : item, name)) continue;
    if (negated) return false;
    matched = true;
  }
  return matched;
}

function matchesHashed(hosts: string, name: string): boolean {
  const [, magic, salt, hash] = hosts.split("|");
  if (magic !== "1" || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, "base64");
  const actual = createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest();
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** `*` and `?` in linear time, by going back to the last `*` only: a file may hold anything. */
function matchesPattern(pattern: string, name: string): boolean {
  let inPattern = 0;
  let inName = 0;
  let star = -1;
  let resume = 0;
  while (inName < name.length) {
    const character = pattern[inPattern];
    if (character === "*") {
      star = inPattern++;
      resume = inName;
    } else if (character === "?" || character === name[inName]) {
      inPattern++;
      inName++;
    } else if (star !== -1) {
      inPattern = star + 1;
      inName = ++resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(inPattern));
}
