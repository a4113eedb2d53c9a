/** What the demo and one of its stand-in sessions say to each other: a JSON line each, orders on stdin and events on stdout. */
export type SessionOrder =
  | { readonly op: "send"; readonly order: number; readonly to: string; readonly text: string; readonly mode: SessionMode }
  /** As if the person at that session had said yes to a message that it holds. */
  | { readonly op: "release"; readonly order: number; readonly messageId: string };

/** The permission class of a sender: `bypass` runs without asking its person. */
export type SessionMode = "bypass" | "prompting";

/** Times are of the machine's monotonic clock, which all its processes share. */
export type SessionEvent =
  | { readonly event: "ready"; readonly pid: number }
  | { readonly event: "sent"; readonly order: number; readonly messageId: string; readonly atMs: number }
  | { readonly event: "released"; readonly order: number }
  | { readonly event: "failed"; readonly order: number; readonly message: string }
  | ReceivedMessage
  | ReceivedReceipt;

export interface ReceivedMessage {
  readonly event: "message";
  readonly messageId: string;
  /** The address that an answer goes to. */
  readonly from: string;
  readonly fromName: string;
  readonly text: string;
  readonly isHeld: boolean;
  readonly atMs: number;
}

export interface ReceivedReceipt {
  readonly event: "receipt";
  /** Of the message that it is about. */
  readonly messageId: string;
  readonly status: string;
}
