/** What became of one file of a message, for whoever keeps the record. */
export interface FileEvent {
  /** Whether it left this machine or came to it. */
  readonly direction: "out" | "in";
  readonly messageId: string | undefined;
  /** As its sender called it. */
  readonly name: string;
  readonly bytes: number;
  /** How long it was under way, a wait for the link included; of one that came, not known. */
  readonly tookMs?: number;
  /** Why it did not get there. */
  readonly fault?: string | undefined;
}
