import { createHash } from "node:crypto";
import os from "node:os";
import path from "node:path";

export interface TokenContext {
  readonly alias: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly hostKeyAlias: string | undefined;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * A file name of the ssh configuration with `~`, `%` tokens and `${NAME}` put in, as ssh_config(5) says; relative names are in the
 * home directory. An unknown token and an unset variable stay as they are, and the file then does not exist.
 */
export function expandTokens(file: string, context: TokenContext): string {
  const values = tokenValues(context);
  const expanded = file
    .replace(/^~(?=\/|$)/, () => context.home)
    .replace(/%(.)/g, (whole, token: string) => values[token] ?? whole)
    .replace(/\$\{(\w+)\}/g, (whole, name: string) => context.env[name] ?? whole);
  return path.resolve(context.home, expanded);
}

/** ProxyJump and ProxyCommand take these tokens alone; another one stays as it is. */
export function expandHostTokens(text: string, target: Pick<TokenContext, "alias" | "host" | "port" | "user">): string {
  const values: Record<string, string> = { "%": "%", h: target.host, n: target.alias, p: String(target.port), r: target.user };
  return text.replace(/%(.)/g, (whole, token: string) => values[token] ?? whole);
}

function tokenValues(context: TokenContext): Record<string, string> {
  const local = os.hostname();
  const { host, port, user } = context;
  return {
    "%": "%",
    C: createHash("sha1").update(`${local}${host}${port}${user}`).digest("hex"),
    d: context.home,
    h: host,
    i: String(process.getuid?.() ?? 0),
    k: context.hostKeyAlias ?? context.alias,
    L: local.split(".")[0] ?? local,
    l: local,
    n: context.alias,
    p: String(port),
    r: user,
    u: os.userInfo().username,
  };
}
