import { createHash } from "node:crypto";
import { plainLine } from "../core/plain-text.ts";

/** Native senders and the envelope take no longer name. */
const MAX_NAME_CHARACTERS = 80;
const MAX_TRIES = 100;

/**
 * Who is called what on this machine. A mirror is `<label>-<name>`; where that is taken, by anyone, it gets a short suffix that
 * depends only on whom it stands for, so that it is the same again after a restart.
 */
export class MirrorNames {
  readonly #isTakenLocally: (name: string) => boolean;
  readonly #owners = new Map<string, string>();

  constructor(isTakenLocally: (name: string) => boolean) {
    this.#isTakenLocally = isTakenLocally;
  }

  /** A free name for the member that `owner` identifies among all machines' members; what it had before is given back. */
  claim(owner: string, label: string, name: string): string {
    this.release(owner);
    const digest = createHash("sha256").update(owner).digest("hex");
    const spoken = spokenName(name) || digest.slice(0, 6);
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const suffix = attempt === 0 ? "" : `-${digest.slice(0, 3 + attempt)}`;
      const candidate = `${cut(`${label}-${spoken}`, MAX_NAME_CHARACTERS - suffix.length)}${suffix}`;
      if (this.#owners.has(candidate) || this.#isTakenLocally(candidate)) continue;
      this.#owners.set(candidate, owner);
      return candidate;
    }
    throw new Error(`no free name for ${label}-${spoken}`);
  }

  release(owner: string): void {
    for (const [name, holder] of this.#owners) if (holder === owner) this.#owners.delete(name);
  }
}

/** The name without what the envelope does not take in an attribute. */
function spokenName(name: string): string {
  return plainLine(name, MAX_NAME_CHARACTERS).replace(/["<>]/g, "").trim();
}

function cut(text: string, maxCharacters: number): string {
  return Array.from(text).slice(0, maxCharacters).join("").trim();
}
