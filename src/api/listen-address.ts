import { CcmError } from "../core/errors.ts";

export interface ListenAddress {
  /** An address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const HINT = "use 127.0.0.1:PORT or [::1]:PORT; from another machine, go through ssh: ssh -L PORT:127.0.0.1:PORT HOST";

/** `--listen` as a person types it. Throws `usage` for what is no address and port, and for what is not the loopback. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const typed = bracketed ?? plain;
  if (typed === undefined || port > 65_535) throw new CcmError("usage", `api: "${text}" is not ADDRESS:PORT`, { hint: HINT });
  const host = typed.toLowerCase() === "localhost" ? "127.0.0.1" : typed;
  if (isLoopback(host)) return { host, port };
  throw new CcmError("usage", `api: ${typed} is not this machine's loopback, and the API does not encrypt what it says`, { hint: HINT });
}

function isLoopback(host: string): boolean {
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  return host === "::1" || (octets?.slice(1).every((octet) => Number(octet) <= 255) ?? false);
}

/** As it stands in an address of the web. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
