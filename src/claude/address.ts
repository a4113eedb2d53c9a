import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";

/** Every kind of address that Claude Code writes. Only the first can be reached from a program on this machine. */
export type Address =
  | { readonly kind: "socket"; readonly socketPath: string }
  /** A session in the cloud, or one of this machine by the name that it has there. */
  | { readonly kind: "bridge"; readonly id: string }
  /** Reserved: parsed, and resolved by nobody yet. */
  | { readonly kind: "did"; readonly did: string }
  | { readonly kind: "pipe"; readonly pipe: string };

const PIPE = /^(?:\\\\|\/\/)[.?][\\/]pipe[\\/]./i;

/** `uds:<path>`, `bridge:<id>`, `did:<anything>`, a bare path that ends in `.sock`, a Windows named pipe; undefined for what is no address. */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith("uds:")) return socketOrPipe(text.slice("uds:".length));
  if (/^bridge:./.test(text)) return { kind: "bridge", id: text.slice("bridge:".length) };
  if (/^did:./.test(text)) return { kind: "did", did: text };
  return text.endsWith(".sock") || PIPE.test(text) ? socketOrPipe(text) : undefined;
}

function socketOrPipe(text: string): Address | undefined {
  if (PIPE.test(text)) return { kind: "pipe", pipe: text };
  return text.startsWith("/") ? { kind: "socket", socketPath: text } : undefined;
}

/** The socket behind an address. Throws `undeliverable` for the kinds that nothing on this machine leads to, saying which it is. */
export function requireSocket(address: Address): string {
  if (address.kind === "socket") return address.socketPath;
  throw new CcmError("undeliverable", unreachable(address), { hint: "ccm roster lists who can be written to" });
}

function unreachable(address: Exclude<Address, { kind: "socket" }>): string {
  switch (address.kind) {
    case "bridge":
      return `bridge:${plainLine(address.id, 80)} is no session of this machine, and only Claude Code itself writes to those in the cloud`;
    case "did":
      return `${plainLine(address.did, 80)} is a decentralized identifier, which nothing resolves yet`;
    case "pipe":
      return `${plainLine(address.pipe, 80)} is a named pipe of Windows, which cannot be reached from here`;
  }
}
