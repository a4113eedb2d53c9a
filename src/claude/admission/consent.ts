/** What an envelope may declare in `from-mode`. */
export type ModeClass = "bypass" | "prompting";

/** `parity`: what Claude Code does unless its person has set something else. */
export type InboundPolicy = "parity" | "accept" | "hold" | "refuse";

export interface ConsentQuestion {
  readonly policy: InboundPolicy;
  /** The receiver's class; one that declares none counts as one that asks. */
  readonly ownMode: ModeClass | undefined;
  /** As the sender declares it. */
  readonly senderMode: ModeClass | undefined;
  /** It comes from the receiver itself or from a process that it started. */
  readonly isSelfSent: boolean;
}

export type HoldCause = "mode-mismatch" | "no-mode-asserted" | "policy";
export type Consent = { readonly kind: "accept" } | { readonly kind: "refuse" } | { readonly kind: "hold"; readonly cause: HoldCause };

/** Whether a message may go to its receiver without anybody being asked. */
export function judgeConsent({ policy, ownMode = "prompting", senderMode, isSelfSent }: ConsentQuestion): Consent {
  if (policy === "refuse") return { kind: "refuse" };
  if (policy === "accept" || isSelfSent) return { kind: "accept" };
  if (policy === "hold") return { kind: "hold", cause: "policy" };
  if (senderMode === ownMode) return { kind: "accept" };
  if (senderMode !== undefined) return { kind: "hold", cause: "mode-mismatch" };
  return ownMode === "bypass" ? { kind: "hold", cause: "no-mode-asserted" } : { kind: "accept" };
}
