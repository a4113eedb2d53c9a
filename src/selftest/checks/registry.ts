import fs from "node:fs";
import path from "node:path";
import { keyFilePath, readKeyFile } from "../../claude/key-file.ts";
import { currentPidDomain, readProcStart } from "../../claude/process-identity.ts";
import { chooseSocketDirectory } from "../../claude/socket-directory.ts";
import type { Check } from "../check.ts";
import { mustEqual, mustHold } from "../outcome.ts";

const TEXT_FIELDS = [
  "sessionId",
  "cwd",
  "version",
  "kind",
  "entrypoint",
  "procStart",
  "pidDomain",
  "messagingSocketPath",
  "name",
  "status",
];
const FEATURES = ["notify_idle", "reply_across_default_dirs", "artifact_yield"];

/** What a session leaves on disk for others to find it by. */
export const registryChecks: readonly Check[] = [
  {
    name: "registry.record",
    lane: "asking",
    relies: "a session's record sessions/PID.json has the fields that we read, peerProtocol 1 and three features",
    async run({ asking }) {
      const { raw } = asking.record;
      const missing = TEXT_FIELDS.filter((field) => typeof raw[field] !== "string");
      mustHold(missing.length === 0, `it has no ${missing.join(", ")}`);
      mustEqual(raw["peerProtocol"], 1, "peerProtocol");
      const features = asking.record.peerFeatures ?? [];
      mustHold(
        FEATURES.every((feature) => features.includes(feature)),
        `its features are ${features.join(", ")}`,
      );
      const more = features.filter((feature) => !FEATURES.includes(feature));
      return more.length === 0 ? undefined : `also has ${more.join(", ")}`;
    },
  },
  {
    name: "registry.process",
    lane: "asking",
    relies: "procStart and pidDomain are what we work out ourselves, and our own reader finds nothing wrong with the record",
    async run({ asking }) {
      const { pid, procStart, pidDomain } = asking.record;
      mustEqual(procStart, readProcStart(pid), "procStart");
      mustEqual(pidDomain, currentPidDomain(), "pidDomain");
      mustEqual(asking.entry()?.unreachable, undefined, "the fault that is found");
    },
  },
  {
    name: "registry.key",
    lane: "asking",
    relies: "its key is PID.SHA256-of-the-socket-path.key, 0600, with a peerToken and the same procStart and pidDomain",
    async run({ asking, home }) {
      const { pid, procStart, pidDomain, messagingSocketPath = "" } = asking.record;
      const file = keyFilePath(home.claudeConfig, pid, messagingSocketPath);
      const mine = fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith(`${pid}.`) && name.endsWith(".key"));
      mustEqual(mine, [path.basename(file)], "the name of its key");
      mustEqual((fs.statSync(file).mode & 0o777).toString(8), "600", "its mode");
      const { peerToken = "", ...owner } = readKeyFile(home.claudeConfig, pid, messagingSocketPath) ?? {};
      mustHold(/^[0-9a-f]{32}$/.test(peerToken), "its peerToken is not 32 hexadecimal digits");
      mustEqual(owner, { procStart, pidDomain }, "its owner");
    },
  },
  {
    name: "registry.socket",
    lane: "asking",
    relies: "its socket is PID.sock, 0600, in cc-socks of XDG_RUNTIME_DIR, which is 0700",
    async run({ asking, home }) {
      const { pid, messagingSocketPath = "" } = asking.record;
      mustEqual(messagingSocketPath, path.join(chooseSocketDirectory(home.environment), `${pid}.sock`), "its path");
      mustEqual((fs.statSync(path.dirname(messagingSocketPath)).mode & 0o777).toString(8), "700", "the mode of the directory");
      mustEqual((fs.lstatSync(messagingSocketPath).mode & 0o777).toString(8), "600", "the mode of the socket");
    },
  },
  {
    name: "registry.environment",
    lane: "bold",
    relies: "what a session starts knows it by CLAUDE_CODE_SESSION_ID, CLAUDE_CODE_MESSAGING_SOCKET and _TOKEN, and CLAUDECODE",
    async run({ bold }) {
      const shown = await bold.callTool("Bash", { command: "env", description: "shows the environment" });
      const { sessionId, messagingSocketPath } = bold.record;
      for (const [name, value] of [
        ["CLAUDECODE", "1"],
        ["CLAUDE_CODE_SESSION_ID", sessionId],
        ["CLAUDE_CODE_MESSAGING_SOCKET", messagingSocketPath],
      ]) {
        mustHold(shown.includes(`${name}=${value}`), `${name} is ${new RegExp(`^${name}=.*$`, "m").exec(shown)?.[0] ?? "not there"}`);
      }
      mustHold(/^CLAUDE_CODE_MESSAGING_TOKEN=[0-9a-f]{32}$/m.test(shown), "CLAUDE_CODE_MESSAGING_TOKEN is no token");
    },
  },
];
