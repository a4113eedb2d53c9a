/**
 * Whether a session holds a message of a sender of that class until its person has looked at it: natively it takes only what comes from
 * its own class, and from undeclared senders only where it prompts. Undefined where its class is not known. A setting of its own
 * (`crossSessionInbound`) may say otherwise.
 */
export function willHold(sender: string | undefined, receiver: string | undefined): boolean | undefined {
  if (receiver === "bypass") return sender !== "bypass";
  if (receiver === "prompting") return sender === "bypass";
  return undefined;
}
