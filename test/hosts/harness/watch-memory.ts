import type { Host } from "./host.ts";

const EVERY_MS = 10;

/** Looks at the resident memory of each host's daemon until what it returns is called; that tells how much each had, and got more at most. */
export function watchMemory(hosts: readonly Host[]) {
  const watched = hosts.map((host) => {
    const status = `/proc/${daemonPid(host)}/status`;
    const rssMb = () => Number(/VmRSS:\s+(\d+)/.exec(host.readFile(status))?.[1]) / 1024;
    return { name: host.name, rssMb, beforeMb: rssMb(), mostMb: 0 };
  });
  const look = () => {
    for (const one of watched) one.mostMb = Math.max(one.mostMb, one.rssMb());
  };
  const timer = setInterval(look, EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    return watched.map(({ name, beforeMb, mostMb }) => ({ name, beforeMb, grownMb: Math.max(0, mostMb - beforeMb) }));
  };
}

export function daemonPid(host: Host): number {
  const [daemon] = host.processes().filter(({ command }) => command.split(" ")[1] === "daemon");
  if (!daemon) throw new Error(`no daemon on ${host.name}`);
  return daemon.pid;
}
