import * as z from "zod";
import { lenient, openEnum } from "./lenient.ts";

const time = lenient(z.number()).describe("Milliseconds since the epoch");

export const sessionRecord = z
  .looseObject({
    pid: z.int().positive().describe("As in the file's name, or the record counts for nothing"),
    sessionId: lenient(z.string()),
    name: lenient(z.string()),
    nameSource: lenient(openEnum(["user"])),
    cwd: lenient(z.string()),
    kind: lenient(openEnum(["interactive"])),
    status: lenient(openEnum(["idle", "busy"])),
    detail: lenient(z.string()),
    agent: lenient(z.string()).describe("The program behind it where that is not Claude Code"),
    version: lenient(z.string()).describe("Of Claude Code"),
    entrypoint: lenient(z.string()),
    procStart: lenient(z.union([z.string(), z.number()])).describe(
      "The start of the process. Linux: field 22 of /proc/PID/stat. macOS: LC_ALL=C TZ=UTC ps -o lstart= -p PID",
    ),
    pidDomain: lenient(z.string()).describe("Where the pid means this process: linux:<machine-id>:pid:[<inode>], or darwin"),
    messagingSocketPath: lenient(z.string()).describe("Its inbox; one without it cannot be written to"),
    bridgeSessionId: lenient(z.string()),
    peerProtocol: lenient(z.number()).describe("1"),
    peerFeatures: lenient(z.array(openEnum(["notify_idle", "reply_across_default_dirs", "artifact_yield"]))),
    formerNames: lenient(z.array(z.unknown())).describe("Names that it had before, the newest last"),
    startedAt: time,
    nameSince: time,
    updatedAt: time,
    statusUpdatedAt: time,
  })
  .describe("A session in the registry: <Claude config directory>/sessions/<pid>.json");

export const keyFile = z
  .looseObject({
    peerToken: z.string().min(1).describe("Opens the inbox; 32 hexadecimal digits"),
    procStart: lenient(z.string()),
    pidDomain: lenient(z.string()),
  })
  .describe("Vouches for an inbox: <Claude config directory>/sessions/<pid>.<sha256 of the socket path>.key, mode 0600");
