import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Host } from "../../hosts/harness/host.ts";
import type { Network } from "../../hosts/harness/network.ts";

export const ansibleDirectory = path.join(import.meta.dirname, "..", "..", "..", "scripts", "ansible");

/** For the `skip` of a test: the reason not to run it, or false. */
export const noAnsible = spawnSync("ansible-playbook", ["--version"]).error ? "needs ansible" : false;
export const noAnsibleLint = spawnSync("ansible-lint", ["--version"]).error ? "needs ansible-lint" : false;

export interface PlayResult {
  readonly seconds: number;
  /** By host, what the recap says. */
  readonly changed: ReadonlyMap<string, number>;
}

/** An inventory with these hosts in their groups; returns where it lies. */
export function writeInventory(network: Network, groups: Readonly<Record<string, readonly string[]>>): string {
  const file = path.join(network.directory, "inventory.ini");
  fs.writeFileSync(
    file,
    Object.entries(groups)
      .flatMap(([group, hosts]) => [`[${group}]`, ...hosts, ""])
      .join("\n"),
  );
  return file;
}

/** Plays the example playbook from a host, over ssh, with that inventory and these variables. Rejects with its output. */
export async function play(host: Host, inventory: string, variables: Readonly<Record<string, string | boolean>>): Promise<PlayResult> {
  const env = {
    ANSIBLE_PIPELINING: "1",
    ANSIBLE_FORKS: "10",
    ANSIBLE_GATHER_SUBSET: "!all,min",
    ANSIBLE_PYTHON_INTERPRETER: "/usr/bin/python3",
    ANSIBLE_NOCOLOR: "1",
    // Without compression: what is copied is compressed.
    ANSIBLE_SSH_ARGS: "-o ControlMaster=auto -o ControlPersist=60s",
    ANSIBLE_ROLES_PATH: path.join(ansibleDirectory, "roles"),
  };
  const startedMs = performance.now();
  const words = ["-i", inventory, "-e", JSON.stringify(variables), path.join(ansibleDirectory, "playbook.example.yml")];
  const { code, stdout, stderr } = await host.exec("ansible-playbook", words, { env, timeoutMs: 400_000 });
  if (code !== 0) throw new Error(`ansible-playbook ended with ${code}: ${stdout.slice(-6000)}${stderr.slice(-2000)}`);
  const changed = [...stdout.matchAll(/^(\S+)\s+: ok=\d+\s+changed=(\d+)/gm)].map(([, name = "", count]) => [name, Number(count)] as const);
  return { seconds: (performance.now() - startedMs) / 1000, changed: new Map(changed) };
}
