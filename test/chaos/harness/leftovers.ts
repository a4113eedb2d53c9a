import type { Host } from "../../hosts/harness/host.ts";
import { STATE, type World } from "./world.ts";

/** What of ours is left on the hosts when every daemon is down and every session has ended: nothing should be. */
export function leftovers(world: World): string[] {
  return world.hosts.flatMap((host) => remains(world, host).map((what) => `${host.name}: ${what}`));
}

function remains(world: World, host: Host): string[] {
  const killed = new Set(world.sessions.filter((session) => session.host === host).map(({ pid }) => pid));
  return [...leftProcesses(host), ...leftRegistryFiles(host, killed), ...leftTemporaryFiles(host)];
}

/** Besides the wire's, which is the harness's own. */
function leftProcesses(host: Host): string[] {
  return host
    .strayProcesses()
    .filter(({ command }) => !command.includes("slow-wire"))
    .map(({ pid, command }) => `process ${pid}: ${command}`);
}

/** A session that was killed leaves its own files, as Claude Code's do; they are not ours. */
function leftRegistryFiles(host: Host, killed: ReadonlySet<number>): string[] {
  return [`${host.home}/.claude/sessions`, "/run/user/1500/cc-socks", "/tmp/cc-socks", "/tmp/cc-socks-1500"].flatMap((directory) =>
    host
      .list(directory)
      .filter((name) => !killed.has(Number.parseInt(name.replace(/^\./, ""), 10)))
      .map((name) => `${directory}/${name}`),
  );
}

function leftTemporaryFiles(host: Host): string[] {
  const hidden = (directory: string) =>
    host
      .list(directory)
      .filter((name) => name.startsWith("."))
      .map((name) => `${directory}/${name}`);
  const ofTemporary = host.list("/tmp").filter((name) => !name.startsWith("cc-socks"));
  return [
    ...hidden(STATE),
    ...hidden(".config/claude-code-message"),
    ...hidden(".cache/claude-code-message/bin"),
    ...hidden(".cache/claude-code-message/ship"),
    ...ofTemporary.map((name) => `/tmp/${name}`),
  ];
}
