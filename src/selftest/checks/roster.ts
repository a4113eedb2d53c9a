import { sessionReference } from "../../claude/session-reference.ts";
import type { Check } from "../check.ts";
import { mustHold } from "../outcome.ts";

export const rosterChecks: readonly Check[] = [
  {
    name: "roster.listed",
    lane: "asking",
    relies: "ListAgents shows a peer that is a process, a socket, a key and a record, at once",
    async run({ asking, friend }) {
      const listed = await asking.callTool("ListAgents", {});
      mustHold(new RegExp(`\\b${friend.name} \\[`).test(listed), `it shows ${listed}`);
    },
  },
  {
    name: "roster.reference",
    lane: "asking",
    relies: "ListAgents prints NAME [REFERENCE], six digits of a hash of the socket's path",
    async run({ asking, bold, friend }) {
      const listed = await asking.callTool("ListAgents", {});
      for (const [name, socketPath] of [
        [friend.name, friend.socketPath],
        [bold.name, bold.target.socketPath],
      ] as const) {
        mustHold(
          listed.includes(`${name} [${sessionReference(socketPath)}]`),
          `it does not print ${name} [${sessionReference(socketPath)}]: ${listed}`,
        );
      }
    },
  },
];
