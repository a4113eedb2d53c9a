import fs from "node:fs";
import path from "node:path";
import type { FileAttachment } from "../../claude/frames.ts";
import { randomHex } from "../../core/random.ts";
import { sha256 } from "../../core/sha256.ts";
import type { Check, Stage } from "../check.ts";
import { mustHold, SwitchedOff } from "../outcome.ts";

const CONTENT = "what the file says\n";

/** A file in the spool, as a sender stages it. */
function stage({ home }: Stage, digest: string): FileAttachment {
  const spool = path.join(home.claudeConfig, "file-transfers");
  fs.mkdirSync(spool, { recursive: true, mode: 0o700 });
  const file = path.join(spool, `${digest.slice(0, 8)}-${randomHex(4)}-note.txt`);
  fs.writeFileSync(file, CONTENT, { mode: 0o600 });
  return { path: file, file_name: "note.txt", file_size: CONTENT.length, sha256: digest, media_type: "text/plain" };
}

export const attachmentChecks: readonly Check[] = [
  {
    name: "file.handed-over",
    lane: "passing",
    relies: "with files switched on: one in the spool is moved to uploads/SESSION and mentioned before the text; a wrong one is noted",
    async run(all) {
      const { passing, friend, home } = all;
      const files = [sha256(CONTENT), sha256("something else")].map((digest) => stage(all, digest));
      for (const [index, file] of files.entries()) {
        await friend.deliver(passing.target, {
          ...friend.message(`has file ${index}`, { fromMode: "prompting" }),
          file_attachments: [file],
        });
      }
      const good = await passing.waitHeard("has file 0");
      const bad = await passing.waitHeard("has file 1");
      const uploads = path.join(home.claudeConfig, "uploads", passing.record.sessionId ?? "");
      if (!fs.existsSync(uploads) && !bad.includes("was not delivered")) {
        throw new SwitchedOff(
          "this Claude Code takes no files, though told that its vendor has switched them on; the text arrives without them",
        );
      }
      mustHold(good.includes(`@"${uploads}`), `the model is told ${good}`);
      mustHold(!fs.existsSync(files[0]?.path ?? ""), "the staged file is still there");
      mustHold(/\[SendFile: .* was not delivered/.test(bad), `of the wrong file the model is told ${bad}`);
    },
  },
];
