import { CcmError } from "../../../core/errors.ts";
import { plainLine } from "../../../core/plain-text.ts";
import type { HostProblem, WantedHost } from "./wanted-host.ts";

export interface HostList {
  readonly hosts: readonly WantedHost[];
  readonly problems: readonly HostProblem[];
}

/**
 * One host a line, with its label after it if it shall have a certain one; `#` begins a comment, and empty lines mean nothing. Whether a
 * word can be a host or a label is not looked at here.
 */
export function parseHostList(text: string, fileName: string): HostList {
  const hosts: WantedHost[] = [];
  const problems: HostProblem[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const where = `${plainLine(fileName, 100)}, line ${index + 1}`;
    const [host, label, ...more] = line
      .replace(/(?:^|\s)#.*$/s, "")
      .trim()
      .split(/\s+/);
    if (host === undefined || host === "") continue;
    if (more.length === 0) hosts.push({ host, label, where });
    else problems.push({ where, error: new CcmError("usage", `"${plainLine(more.join(" "), 40)}" is too much: write HOST or HOST LABEL`) });
  }
  return { hosts, problems };
}
