import path from "node:path";
import { expandTokens } from "./expand-tokens.ts";
import { homeDirectory, userName } from "./local-user.ts";
import type { SshConfiguration } from "./ssh-configuration.ts";
import type { SshTarget } from "./ssh-target.ts";
import type { TypedHost } from "./typed-host.ts";

const DEFAULT_IDENTITIES = ["id_rsa", "id_ecdsa", "id_ed25519"];
/** Settings whose only reader is the choice of the transport. */
const OTHER_SETTINGS = [
  "bindaddress",
  "bindinterface",
  "certificatefile",
  "gssapiauthentication",
  "hashknownhosts",
  "knownhostscommand",
  "pkcs11provider",
  "preferredauthentications",
  "proxyusefdpass",
  "pubkeyauthentication",
  "revokedhostkeys",
];

export function targetFromConfiguration(
  typed: string,
  typedHost: TypedHost,
  configuration: SshConfiguration,
  env: NodeJS.ProcessEnv,
  resolvedBy: SshTarget["resolvedBy"],
): SshTarget {
  const first = (keyword: string): string | undefined => wish(configuration.get(keyword)?.[0]);
  const host = first("hostname") ?? typedHost.host;
  const port = Number(first("port") ?? 22);
  const user = first("user") ?? typedHost.user ?? userName(env);
  const hostKeyAlias = first("hostkeyalias");
  const context = { alias: typedHost.host, host, port, user, hostKeyAlias, home: homeDirectory(env), env };
  const files = (keyword: string): string[] => (configuration.get(keyword) ?? []).flatMap(splitFiles).filter(isNotNone);
  const timeoutSeconds = Number(first("connecttimeout"));
  return {
    typed,
    resolvedBy,
    alias: typedHost.host,
    host,
    port,
    user,
    addressFamily: { inet: 4 as const, inet6: 6 as const }[first("addressfamily") ?? ""],
    identityFiles: (configuration.get("identityfile") ?? []).filter(isNotNone).map((file) => expandTokens(file, context)),
    identitiesOnly: first("identitiesonly") === "yes",
    identityAgent: identityAgent(configuration.get("identityagent")?.[0], (file) => expandTokens(file, context), env),
    knownHostsFiles: [...files("userknownhostsfile"), ...files("globalknownhostsfile")].map((file) => expandTokens(file, context)),
    hostKeyAlias,
    hostKeyAlgorithms: first("hostkeyalgorithms")?.split(","),
    publicKeyAlgorithms: first("pubkeyacceptedalgorithms")?.split(","),
    connectTimeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined,
    proxyJump: first("proxyjump"),
    via: undefined,
    proxyCommand: first("proxycommand"),
    otherSettings: new Map(OTHER_SETTINGS.flatMap((keyword) => (first(keyword) === undefined ? [] : [[keyword, first(keyword) ?? ""]]))),
  };
}

/** ssh's own defaults, without a look at any configuration. */
export function defaultTarget(typed: string, typedHost: TypedHost, env: NodeJS.ProcessEnv): SshTarget {
  const directory = path.join(homeDirectory(env), ".ssh");
  const configuration = new Map([
    ["identityfile", DEFAULT_IDENTITIES.map((name) => path.join(directory, name))],
    ["userknownhostsfile", ["known_hosts", "known_hosts2"].map((name) => path.join(directory, name))],
    ["globalknownhostsfile", ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]],
    ["port", [String(typedHost.port ?? 22)]],
  ]);
  return targetFromConfiguration(typed, typedHost, configuration, env, "defaults");
}

/** `SSH_AUTH_SOCK` and `$NAME` name a variable; a variable that is not set is no agent. */
function identityAgent(value: string | undefined, expand: (file: string) => string, env: NodeJS.ProcessEnv): string | undefined {
  if (value === undefined || value === "SSH_AUTH_SOCK") return undefined;
  if (value.startsWith("$")) return env[value.slice(1).replace(/^\{(.*)\}$/, "$1")] || "none";
  return value === "none" ? "none" : expand(value);
}

/** `ssh -G` prints several files on one line and does not quote spaces, so only a space before the start of a path divides. */
function splitFiles(line: string): string[] {
  return line.split(/\s+(?=[/~%$])/);
}

function isNotNone(value: string): boolean {
  return value !== "" && value.toLowerCase() !== "none";
}

function wish(value: string | undefined): string | undefined {
  return value !== undefined && isNotNone(value) ? value : undefined;
}
