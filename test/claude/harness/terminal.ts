import type { Host } from "../../hosts/harness/host.ts";

const SOCKET = "ccm-test";

export interface TerminalStart {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A terminal of 200 × 50 on a host with one program in it (tmux, which ends with the host). */
export class Terminal {
  readonly #host: Host;
  readonly #name: string;

  private constructor(host: Host, name: string) {
    this.#host = host;
    this.#name = name;
  }

  static async open(host: Host, { name, command, cwd, env }: TerminalStart): Promise<Terminal> {
    const terminal = new Terminal(host, name);
    const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
    const program = ["env", "-u", "TMUX", "-u", "TMUX_PANE", "TERM=xterm-256color", ...variables, ...command];
    await terminal.#tmux("-f", "/dev/null", "new-session", "-d", "-s", name, "-x", "200", "-y", "50", "-c", cwd, ...program);
    return terminal;
  }

  /** What it shows, without empty lines; nothing when its program has ended. */
  async screen(): Promise<string> {
    const shown = await this.#host.exec("tmux", ["-L", SOCKET, "capture-pane", "-p", "-t", this.#name]);
    return shown.stdout
      .split("\n")
      .filter((line) => line.trim() !== "")
      .join("\n");
  }

  /** Text as if typed, without Enter. */
  async write(text: string): Promise<void> {
    await this.#tmux("send-keys", "-t", this.#name, "-l", "--", text);
  }

  /** Named keys, in the order given: Enter, Down, Escape, BTab, C-c. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", "-t", this.#name, ...keys);
  }

  /** Hangs up. */
  async close(): Promise<void> {
    await this.#host.exec("tmux", ["-L", SOCKET, "kill-session", "-t", this.#name]);
  }

  async #tmux(...args: string[]): Promise<void> {
    const result = await this.#host.exec("tmux", ["-L", SOCKET, ...args]);
    if (result.code !== 0) throw new Error(`tmux ${args.join(" ")} on ${this.#host.name}: ${result.stderr.trim()}`);
  }
}
