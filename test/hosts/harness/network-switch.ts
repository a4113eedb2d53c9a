import { NamespaceProcess } from "./namespace-process.ts";
import { requireTool } from "./prerequisites.ts";
import { runChecked, runCommand } from "./run-command.ts";

const BRIDGE = "br0";

/** The switch that hosts are plugged into: a bridge in a network namespace of its own, with no way out. */
export class NetworkSwitch {
  readonly #holder: NamespaceProcess;

  private constructor(holder: NamespaceProcess) {
    this.#holder = holder;
  }

  static async start(): Promise<NetworkSwitch> {
    const holder = await NamespaceProcess.start({
      namespaces: ["--net"],
      command: [requireTool("bash"), "-c", "echo ready; read -r _"],
      readyText: "ready",
    });
    const made = new NetworkSwitch(holder);
    await made.#ip("link", "add", BRIDGE, "type", "bridge");
    await made.#ip("link", "set", BRIDGE, "up");
    return made;
  }

  /** Lays a cable from port `port` to the network namespace of process `hostPid`, where it is `eth0` with `address`. */
  async connect(port: number, hostPid: number, address: string): Promise<void> {
    await this.#ip("link", "add", portName(port), "type", "veth", "peer", "name", "eth0", "netns", String(hostPid));
    await this.#ip("link", "set", portName(port), "master", BRIDGE, "up");
    const inHost = ["-t", String(hostPid), "-n", requireTool("ip")];
    await runChecked(requireTool("nsenter"), [...inHost, "addr", "add", `${address}/24`, "dev", "eth0"]);
    await runChecked(requireTool("nsenter"), [...inHost, "link", "set", "eth0", "up"]);
  }

  /** Both ends keep their carrier and their addresses: packets vanish, and no connection is told. */
  async cut(port: number): Promise<void> {
    await this.#ip("link", "set", portName(port), "nomaster");
  }

  async heal(port: number): Promise<void> {
    await this.#ip("link", "set", portName(port), "master", BRIDGE);
  }

  /** What goes to the host gets worse as netem(8) says, e.g. `delay 20ms loss 1%`; no arguments: good again. */
  async shape(port: number, netem: readonly string[]): Promise<void> {
    if (netem.length === 0) {
      await this.#inside("tc", ["qdisc", "del", "dev", portName(port), "root"]);
      return;
    }
    const result = await this.#inside("tc", ["qdisc", "replace", "dev", portName(port), "root", "netem", ...netem]);
    if (result.code !== 0) throw new Error(`tc netem ${netem.join(" ")}: ${result.stderr.trim()}`);
  }

  stop(): Promise<void> {
    return this.#holder.stop();
  }

  async #ip(...args: string[]): Promise<void> {
    await runChecked(requireTool("nsenter"), ["-t", String(this.#holder.pid), "-n", requireTool("ip"), ...args]);
  }

  #inside(tool: string, args: readonly string[]) {
    return runCommand(requireTool("nsenter"), ["-t", String(this.#holder.pid), "-n", requireTool(tool), ...args]);
  }
}

/** Why `netem` cannot be used here, or false where it can. */
export async function whyNoNetem(): Promise<string | false> {
  try {
    const tc = [requireTool("tc"), "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"];
    const result = await runCommand(requireTool("unshare"), ["--net", "--", ...tc]);
    return result.code !== 0 && `no netem here: ${result.stderr.trim()}`;
  } catch (error) {
    return `no netem here: ${error instanceof Error ? error.message : error}`;
  }
}

function portName(port: number): string {
  return `port${port}`;
}
