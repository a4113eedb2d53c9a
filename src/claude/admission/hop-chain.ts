import { createHmac } from "node:crypto";
import { randomHex } from "../../core/random.ts";

/** So often may a message come back to a session before it is taken for a loop. */
export const MAX_SELF_HOPS = 10;
/** A longer chain is taken for one that grows without an end. The envelope's grammar allows 32. */
export const MAX_CHAIN_LENGTH = 28;

const KEY_BYTES = 32;
const TOKEN_CHARACTERS = 24;

/**
 * The marks that this process leaves in hop chains, one for each address. They come from a key that is made at the start and shown to
 * nobody, so nobody else can make one; a mark that was read in a chain says nothing after a restart.
 */
export class HopTokens {
  readonly #key = Buffer.from(randomHex(KEY_BYTES), "hex");

  /** `address`: `uds:` and the path of the socket. */
  tokenOf(address: string): string {
    return createHmac("sha256", this.#key).update(address).digest("hex").slice(0, TOKEN_CHARACTERS);
  }
}

/** The marks of a chain as an envelope has it, oldest first. */
export function parseHopChain(chain: string | undefined): readonly string[] {
  return chain === undefined || chain === "" ? [] : chain.split(",");
}

/** The chain of what is written because of a message that came with `chain`. */
export function extendHopChain(chain: string | undefined, ownToken: string): string {
  return [...parseHopChain(chain), ownToken].join(",");
}

/** What is wrong with a chain, if anything. */
export function judgeHopChain(chain: string | undefined, ownToken: string): "hop-loop" | "hop-runaway" | undefined {
  const marks = parseHopChain(chain);
  if (marks.filter((mark) => mark === ownToken).length >= MAX_SELF_HOPS) return "hop-loop";
  return marks.length > MAX_CHAIN_LENGTH ? "hop-runaway" : undefined;
}
