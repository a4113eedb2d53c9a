import { randomUuid } from "../core/random.ts";
import { isJsonObject } from "./session-record.ts";

/** The longest line that an inbox takes, in UTF-16 code units, the auth line included. Claude Code's own limit. */
export const MAX_LINE_CHARACTERS = 1_048_576;

/** One line after the auth line. Fields that are not known here are kept and passed on. */
export interface Frame {
  readonly type: string;
  readonly msg_id?: string;
  /** `uds:` and the path of the sender's inbox: where receipts and answers go. */
  readonly from?: string;
  readonly msgV?: number;
  readonly [field: string]: unknown;
}

export interface FileAttachment {
  readonly path: string;
  readonly file_name?: string;
  readonly file_size?: number;
  readonly sha256?: string;
  readonly media_type?: string;
  readonly [field: string]: unknown;
}

export interface UserFrame extends Frame {
  readonly type: "user";
  /** `content` is the envelope; see envelope.ts. A sender that is not Claude Code may put anything here. */
  readonly message: { readonly role: "user"; readonly content: string; readonly [field: string]: unknown };
  readonly priority?: string;
  readonly file_attachments?: readonly FileAttachment[];
}

export interface ControlFrame extends Frame {
  readonly type: "control";
  readonly action: string;
  /** The `msg_id` of what this answers. */
  readonly orig_msg_id?: string;
}

/** Why an inbox did not take a message. */
export type DropReason = "duplicate" | "rate-limited" | "hop-loop" | "hop-runaway" | "queue-full";

export type ReceiptStatus = "held" | "delivered" | "denied" | "expired" | "dropped";

export interface ReceiptFrame extends ControlFrame {
  readonly action: "peer_message_status";
  /** One of {@link ReceiptStatus}; Claude Code ignores others. */
  readonly status: string;
  readonly orig_msg_id: string;
  readonly reason?: string;
  /** `refused` beside `expired`: the receiver takes nothing from outside. */
  readonly status_detail?: string;
  /** Absent beside `dropped` when the message never got there; Claude Code then tells its model to treat it as unsent. */
  readonly drop_reason?: string;
  readonly dropped_msg_ids?: readonly string[];
}

export interface IdleSubscriptionFrame extends ControlFrame {
  readonly action: "notify_when_idle";
  readonly from_mode?: string;
}

export interface IdleNoticeFrame extends ControlFrame {
  readonly action: "peer_idle_notice";
  readonly orig_msg_id: string;
  /** `idle` or `exited`. */
  readonly state: string;
  readonly finished_at?: number;
  readonly detail?: string;
}

const ARTIFACT_ACTIONS = new Set(["yield_artifact_replies", "artifact_replies_yielded", "unyield_artifact_replies"]);

/** Any JSON object with a type counts as a frame; what it lacks is for its reader to judge. */
export function isFrame(value: unknown): value is Frame {
  return isJsonObject(value) && typeof value["type"] === "string";
}

export function isUserFrame(frame: Frame): frame is UserFrame {
  return frame.type === "user" && isJsonObject(frame["message"]) && typeof frame["message"]["content"] === "string";
}

export function isControlFrame(frame: Frame): frame is ControlFrame {
  return frame.type === "control" && typeof frame["action"] === "string";
}

export function isReceipt(frame: Frame): frame is ReceiptFrame {
  return isAnswer(frame, "peer_message_status") && typeof frame["status"] === "string";
}

export function isIdleSubscription(frame: Frame): frame is IdleSubscriptionFrame {
  return isControlFrame(frame) && frame.action === "notify_when_idle";
}

export function isIdleNotice(frame: Frame): frame is IdleNoticeFrame {
  return isAnswer(frame, "peer_idle_notice") && typeof frame["state"] === "string";
}

export function isArtifactFrame(frame: Frame): frame is ControlFrame {
  return isControlFrame(frame) && ARTIFACT_ACTIONS.has(frame.action);
}

function isAnswer(frame: Frame, action: string): frame is ControlFrame {
  return isControlFrame(frame) && frame.action === action && typeof frame.orig_msg_id === "string";
}

export interface UserFrameFields {
  readonly from: string;
  /** The envelope. */
  readonly content: string;
  readonly messageId?: string;
  readonly attachments?: readonly FileAttachment[];
}

/** A message as SendMessage writes it. */
export function userFrame({ from, content, messageId, attachments }: UserFrameFields): UserFrame {
  return {
    msgV: 1,
    msg_id: messageId ?? randomUuid(),
    type: "user",
    message: { role: "user", content },
    priority: "next",
    from,
    ...(attachments !== undefined && { file_attachments: attachments }),
  };
}

export interface StatusReceiptFields {
  readonly from: string;
  readonly status: ReceiptStatus;
  /** The message that this is about. */
  readonly messageId: string;
  readonly reason?: string;
  readonly statusDetail?: string;
  /** Of an inbox that chose to drop it; `dropped` without one means unsent. */
  readonly dropReason?: DropReason;
  /** Beside a drop reason: all that the receipt is about, where that is more than one. */
  readonly droppedIds?: readonly string[];
}

/** A receipt as the inbox that a message went to would write it. */
export function statusReceipt({
  from,
  status,
  messageId,
  reason,
  statusDetail,
  dropReason,
  droppedIds = [],
}: StatusReceiptFields): ReceiptFrame {
  return {
    type: "control",
    action: "peer_message_status",
    status,
    ...(statusDetail !== undefined && { status_detail: statusDetail }),
    ...(reason !== undefined && { reason }),
    from,
    orig_msg_id: messageId,
    ...(dropReason !== undefined && { drop_reason: dropReason, dropped_msg_ids: droppedIds }),
    msgV: 1,
    msg_id: randomUuid(),
  };
}

/** `uds:` and the path, as `from` fields and addresses have it. */
export function socketAddress(socketPath: string): string {
  return `uds:${socketPath}`;
}

/** The path in a `uds:` address, or undefined for any other kind of address. */
export function socketPathOf(address: string): string | undefined {
  return address.startsWith("uds:/") ? address.slice("uds:".length) : undefined;
}
