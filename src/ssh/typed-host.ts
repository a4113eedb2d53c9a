import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";

/** What a person typed for a host, taken apart: `host`, `user@host`, `host:port`, `[address]:port` or `ssh://user@host:port`. */
export interface TypedHost {
  readonly host: string;
  readonly user: string | undefined;
  readonly port: number | undefined;
}

const MAX_CHARACTERS = 320;
/** What a shell, an option parser or a terminal could take for something else than a name. */
const FORBIDDEN = /[\s'"`$\\;&<>|(){}*?!#~^,\p{C}]/u;

/** Takes the text apart, or throws `usage` before anything could have run with it. */
export function parseTypedHost(typed: string): TypedHost {
  const text = typed.startsWith("ssh://") ? typed.slice("ssh://".length).replace(/\/$/, "") : typed;
  const at = text.lastIndexOf("@");
  const user = at === -1 ? undefined : text.slice(0, at);
  const { host, port } = splitPort(text.slice(at + 1), typed);
  for (const part of user === undefined ? [host] : [host, user]) {
    if (part === "" || part.startsWith("-") || part.length > MAX_CHARACTERS || FORBIDDEN.test(part)) throw notAHost(typed);
  }
  if (host.includes("/") || host.includes("[") || host.includes("]")) throw notAHost(typed);
  return { host, user, port };
}

/** An address with several colons and no brackets is an IPv6 address without a port. */
function splitPort(text: string, typed: string): { host: string; port: number | undefined } {
  const match = /^\[([^\]]*)\](?::(\d+))?$/.exec(text) ?? /^([^:]*):(\d+)$/.exec(text);
  if (!match) {
    if (text.includes(":") && !/^[0-9a-f:.]+(%[\w.-]+)?$/i.test(text)) throw notAHost(typed);
    return { host: text, port: undefined };
  }
  const port = match[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && (port < 1 || port > 65_535)) throw notAHost(typed);
  return { host: match[1] ?? "", port };
}

function notAHost(typed: string): CcmError {
  return new CcmError("usage", `not a host: "${plainLine(typed, 80)}"`, { hint: "write HOST, USER@HOST or USER@HOST:PORT, as for ssh" });
}
