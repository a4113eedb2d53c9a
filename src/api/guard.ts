import type { IncomingMessage } from "node:http";
import { isSameToken } from "../claude/auth-line.ts";
import { hostInUrl, type ListenAddress } from "./listen-address.ts";
import { Problem } from "./problem.ts";
import type { RateLimit } from "./rate-limit.ts";

/** Where a request came in. The socket is this user's alone; at a port anyone on the machine, and every web page in its browsers, can ask. */
export type Door = { readonly kind: "socket" } | { readonly kind: "port"; readonly address: ListenAddress; readonly token: string };

/** What of a request is looked at before anything else is. */
export type RequestFacts = Pick<IncomingMessage, "headers"> & { readonly remoteAddress: string | undefined };

/**
 * Lets a request through, or throws the {@link Problem} that it is answered with, before a byte of its body is read. A name that was
 * rebound to the loopback has another Host, a page has an Origin, and neither knows the token.
 */
export function guard(request: RequestFacts, door: Door, limit: RateLimit): void {
  const { host, origin, authorization } = request.headers;
  if (door.kind === "port") requireOwnHost(host, door.address);
  if (origin !== undefined && !isOwnOrigin(origin, host, door)) {
    throw new Problem(403, { code: "foreign_origin", detail: "this API does not serve web pages of another origin" });
  }
  const isKnown = door.kind === "socket" || isAuthorized(authorization, door.token);
  // Who does not know the token cannot use up what is granted to one who does.
  const client = door.kind === "socket" ? "socket" : `${isKnown ? "client" : "stranger"} ${request.remoteAddress}`;
  const retryAfterSeconds = limit.take(client);
  if (retryAfterSeconds !== undefined) {
    const headers = { "Retry-After": String(retryAfterSeconds) };
    throw new Problem(429, { code: "too_many_requests", detail: "more requests than are taken in that time", headers });
  }
  if (!isKnown) {
    throw new Problem(401, {
      code: "unauthorized",
      detail: "the token is missing or is not the one of this API",
      hint: "send `Authorization: Bearer TOKEN`; ccm api says at its start which file has it",
      headers: { "WWW-Authenticate": 'Bearer realm="ccm api"' },
    });
  }
}

function requireOwnHost(host: string | undefined, { host: address, port }: ListenAddress): void {
  const names = [hostInUrl(address), "127.0.0.1", "localhost", "[::1]"];
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (host !== undefined && own.includes(host.toLowerCase())) return;
  throw new Problem(403, {
    code: "foreign_host",
    detail: "the Host of the request is not this machine's loopback at the port of this API",
    hint: `ask http://${hostInUrl(address)}:${port}; through a tunnel, use the same port at both ends`,
  });
}

/** No page is served here, so no page can have this origin; a program may send it all the same. */
function isOwnOrigin(origin: string, host: string | undefined, door: Door): boolean {
  return door.kind === "port" && host !== undefined && origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

function isAuthorized(authorization: string | undefined, token: string): boolean {
  const [, presented] = /^Bearer +([\x21-\x7e]{1,1024})$/i.exec(authorization ?? "") ?? [];
  return presented !== undefined && isSameToken(presented, token);
}
