import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { buildEnvelope } from "../../src/claude/envelope.ts";
import { userFrame } from "../../src/claude/frames.ts";
import { pairHosts, waitMirrors, whyNoCcm } from "../hosts/harness/ccm.ts";
import type { Host } from "../hosts/harness/host.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { StandInSession } from "../hosts/harness/stand-in-session.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { type ClaudeSession, startSession } from "./harness/claude-session.ts";
import { claudeVersions, whyNoClaude } from "./harness/fetch-claude.ts";

const skip = whyNoCcm() || (await whyNoClaude());
const PROMPTING = ["--permission-mode", "default"];
const env = { CLAUDE_CODE_GB_DISK_CACHE_WHEN_TELEMETRY_OFF: "1" };

for (const version of claudeVersions) {
  test(`files and Claude Code ${version}`, { skip, timeout: 180_000 }, async (t) => {
    await using network = await createNetwork();
    const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
    letFilesBeSent(server);
    const api = await startSession(network, server, { name: "api", version, args: PROMPTING, env });
    const neighbour = await StandInSession.start(network, server, "neighbour");
    const webUi = await StandInSession.start(network, laptop, "web-ui");
    await pairHosts(laptop, server);
    await waitMirrors(laptop, ["server-api", "server-neighbour"]);
    await waitMirrors(server, ["laptop-web-ui"]);

    await t.test("it takes a file that came from another machine, and mentions it to its model", async () => {
      const content = randomBytes(3_000_000);
      laptop.putFile("data.bin", content);
      await webUi.sendFiles("server-api", "here it is", [`${laptop.home}/data.bin`]);
      const heard = await api.waitHeard(/here it is/);
      const [, file = ""] = /\n@"([^"]+)" here it is\n/.exec(heard) ?? [];
      assert.ok(file.startsWith(`${server.home}/.claude/uploads/`), heard);
      const { stdout } = await server.exec("base64", [file]);
      assert.equal(sha256(Buffer.from(stdout, "base64")), sha256(content));
      await waitFor(() => server.list(SPOOL).length === 0, { what: "an empty spool" });
    });

    await t.test("what it sends is staged as ours is, taken by a peer of ours here and by one on the other machine", async () => {
      for (const [to, receiver] of [
        ["neighbour", neighbour],
        ["laptop-web-ui", webUi],
      ] as const) {
        const message = `from a real session to ${to}`;
        await sendFile(api, to, message);
        await waitFor(() => receiver.received().length === 1, { what: `a file at ${to}`, otherwise: () => api.screen() });
        const [received] = receiver.received();
        assert.deepEqual(
          received?.files.map(({ fileName, sha256 }) => [fileName, sha256]),
          [["README.md", sha256("a project\n")]],
        );
        assert.match(received?.content ?? "", new RegExp(`\n@"[^"]+-README\\.md" ${message}`));
      }
      await waitFor(() => server.list(SPOOL).length === 0, { what: "an empty spool" });
    });

    await t.test("of files that are no good it says the same as our peer", async () => {
      const files = badFiles(server);
      await server.exec("ln", ["-s", `${server.home}/${SPOOL}/good`, `${server.home}/${SPOOL}/link`]);
      const content = buildEnvelope({ from: neighbour.address, fromName: "neighbour" }, "no good");
      const frame = userFrame({ from: neighbour.address, content, attachments: files });
      await neighbour.write("api", { ...frame, msg_id: "1" });
      await neighbour.write("neighbour", { ...frame, msg_id: "2" });
      const ours = await waitFor(() => neighbour.received()[1], { what: "our notes" });
      const heard = await api.waitHeard(/no good/);
      const said = ours.content.slice(ours.content.indexOf("\n"));
      assert.ok(ours.notes.length === files.length && heard.includes(said), `${heard}\nours: ${said}`);
    });
  });
}

const SPOOL = ".claude/file-transfers";

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Claude Code takes and sends files where its vendor's servers let it, and remembers what they said. There are none here. */
function letFilesBeSent(host: Host): void {
  const flags = { tengu_send_file: true };
  host.putFile(".claude.json", JSON.stringify({ cachedGrowthBookFeatures: flags, cachedFeatureFlags: flags }), 0o600);
}

async function sendFile(session: ClaudeSession, to: string, message: string): Promise<void> {
  const file = `${session.host.home}/projects/${session.name}/README.md`;
  assert.match(await session.callTool("SendFile", { to, files: [file], message }), /^1 file → /);
}

/** One of each kind that a receiver can tell: descriptors, and what they name. */
function badFiles(host: Host) {
  const spool = `${host.home}/${SPOOL}`;
  host.putFile(`${SPOOL}/good`, "good", 0o600);
  host.putFile(`${SPOOL}/directory/x`, "", 0o600);
  const good = { path: `${spool}/good`, file_name: "a b.txt", file_size: 4, sha256: sha256("good") };
  return [
    { ...good, path: "good" },
    { ...good, path: `${host.home}/projects/api/README.md` },
    { ...good, path: `${spool}/link` },
    { ...good, path: `${spool}/directory` },
    { ...good, path: `${spool}/absent` },
    { ...good, sha256: sha256("else") },
    { ...good, file_size: 5 },
  ];
}
