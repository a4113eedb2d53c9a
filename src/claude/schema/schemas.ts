import * as z from "zod";
import { artifactRepliesYielded, unyieldArtifactReplies, yieldArtifactReplies } from "./artifacts.ts";
import { authLine, fileAttachment, frameFields, userFrame } from "./frames.ts";
import { notifyWhenIdle, peerIdleNotice } from "./idle.ts";
import { peerMessageStatus } from "./receipts.ts";
import { keyFile, sessionRecord } from "./session-record.ts";
import { settingsFile } from "./settings.ts";

/** Any line after the auth line. */
export const frame = z
  .looseObject({ ...frameFields, type: z.string(), action: z.string().optional().catch(undefined) })
  .describe("Any frame. One of a type or an action that is not known is left alone");

/**
 * Claude Code's peer protocol: every frame, every receipt and every file, by the name under which `ccm schema` shows it. Each accepts
 * what newer versions add, and what the reader in this room would read past.
 */
export const schemas = {
  "auth-line": authLine,
  frame,
  "user-frame": userFrame,
  "file-attachment": fileAttachment,
  "peer-message-status": peerMessageStatus,
  "notify-when-idle": notifyWhenIdle,
  "peer-idle-notice": peerIdleNotice,
  "yield-artifact-replies": yieldArtifactReplies,
  "artifact-replies-yielded": artifactRepliesYielded,
  "unyield-artifact-replies": unyieldArtifactReplies,
  "session-record": sessionRecord,
  "key-file": keyFile,
  settings: settingsFile,
} as const;

export type SchemaName = keyof typeof schemas;
