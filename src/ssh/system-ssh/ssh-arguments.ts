import type { SshTarget } from "../ssh-target.ts";
import { parseTypedHost } from "../typed-host.ts";

/**
 * What holds whatever the configuration says, on every hop: nobody is asked anything, keys are checked and never learned, and nothing
 * is forwarded or run besides.
 */
const ALWAYS = [
  "BatchMode=yes",
  "StrictHostKeyChecking=yes",
  "UpdateHostKeys=no",
  "VerifyHostKeyDNS=no",
  "NoHostAuthenticationForLocalhost=no",
  "PasswordAuthentication=no",
  "KbdInteractiveAuthentication=no",
  "ForwardAgent=no",
  "ForwardX11=no",
  "PermitLocalCommand=no",
  "Tunnel=no",
  "LogLevel=ERROR",
  "ControlPersist=no",
  "ConnectionAttempts=1",
];

export interface MasterArguments {
  readonly socket: string;
  readonly connectMs: number;
  readonly keepaliveMs: number;
}

/** For the ssh that holds the connection and lets others use it through `socket`. */
export function masterArguments(target: SshTarget, { socket, connectMs, keepaliveMs }: MasterArguments): string[] {
  const own = [
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    "RequestTTY=no",
    `ConnectTimeout=${seconds(connectMs)}`,
    `ServerAliveInterval=${seconds(keepaliveMs)}`,
    "ServerAliveCountMax=3",
    ...route(target),
  ];
  return ["-M", "-N", "-T", "-S", socket, ...asOptions([...ALWAYS, ...own]), ...destination(target)];
}

/** For a command through the master. Without a master it fails: the destination is no host, and no configuration is read. */
export function sessionArguments(socket: string, command: string): string[] {
  const own = ["ControlMaster=no", "ProxyCommand=false", "BatchMode=yes", "LogLevel=ERROR", "EscapeChar=none"];
  return ["-F", "none", "-T", "-S", socket, ...asOptions(own), "--", "master", command];
}

/** The system's ssh does not hand our options on to the hops of a ProxyJump, so each hop is asked for by a command of ours. */
function route(target: SshTarget): string[] {
  const { via } = target;
  if (via === undefined) return [];
  const words = ["ssh", ...asOptions(["ControlMaster=no", "ControlPath=none", "ClearAllForwardings=no", ...ALWAYS])];
  const fixed = (args: readonly string[]): string[] => args.map((word) => word.replaceAll("%", "%%"));
  const command = [...words, ...fixed(asOptions(route(via))), "-W", "[%h]:%p", ...fixed(destination(via))];
  return ["ProxyJump=none", `ProxyCommand=${command.map(shellWord).join(" ")}`];
}

/** As it was typed, so that the configuration's own patterns match as they did when it was resolved. */
function destination(target: SshTarget): string[] {
  const { host, user, port } = parseTypedHost(target.typed);
  return [...(user === undefined ? [] : ["-l", user]), ...(port === undefined ? [] : ["-p", String(port)]), "--", host];
}

function asOptions(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ["-o", setting]);
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
