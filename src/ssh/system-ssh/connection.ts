import { spawn } from "node:child_process";
import type { Clock } from "../../core/clock.ts";
import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { SshTarget } from "../ssh-target.ts";
import type { RemoteProcess, SshConnection } from "../transport.ts";
import type { Master } from "./master.ts";
import { remoteProcess } from "./remote-process.ts";
import { sessionArguments } from "./ssh-arguments.ts";

/** How long ssh may take to say goodbye before it is killed. */
const GOODBYE_MS = 1_000;

export interface SystemConnectionOptions {
  readonly target: SshTarget;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** A connection that the system's ssh holds, behind our interface. */
export class SystemConnection implements SshConnection {
  readonly description: string;
  readonly closed: Promise<void>;
  readonly #master: Master;
  readonly #options: SystemConnectionOptions;
  readonly #processes = new Set<RemoteProcess>();
  #state: "open" | "closing" | "closed" = "open";

  constructor(master: Master, options: SystemConnectionOptions) {
    const { user, host, port } = options.target;
    this.description = `${user}@${host}:${port} (ssh)`;
    this.#master = master;
    this.#options = options;
    this.closed = master.ended.then(() => {
      this.#state = "closed";
      for (const process of this.#processes) process.close();
    });
  }

  /** The command's own ssh tells a refusal by its exit status 255 and its words: nothing says earlier that it has been accepted. */
  async exec(command: string): Promise<RemoteProcess> {
    if (this.#state !== "open") throw this.#failure(`connection ended${this.#lastWords()}`);
    const child = spawn("ssh", sessionArguments(this.#master.socket, command), { env: this.#options.env, stdio: "pipe", cwd: "/" });
    const process = remoteProcess(child, () => this.#isConnected());
    this.#processes.add(process);
    void process.exit.then(() => this.#processes.delete(process));
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(this.#failure(`did not start a command: ${plainLine(error.message, 120)}`, error)));
    });
    return process;
  }

  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    for (const process of this.#processes) process.close();
    this.#master.close();
    const cancel = this.#options.clock.after(GOODBYE_MS, () => this.#master.kill());
    void this.closed.then(cancel);
  }

  async #isConnected(): Promise<boolean> {
    return this.#state === "open" && (await this.#master.isAlive());
  }

  #lastWords(): string {
    const words = plainLine(this.#master.stderr, 120);
    return words === "" ? "" : ` (${words})`;
  }

  #failure(what: string, cause?: Error): CcmError {
    return new CcmError("ssh_failed", `${this.#options.target.alias}: ${what}`, {
      hint: "it is tried again with the next connection",
      cause,
    });
  }
}
