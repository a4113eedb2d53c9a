import type { Duplex } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import type { Clock } from "../../core/clock.ts";
import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { beforeDeadline } from "../before-deadline.ts";
import type { SshTarget } from "../ssh-target.ts";
import type { RemoteProcess, SshConnection } from "../transport.ts";
import { remoteProcess } from "./remote-process.ts";

/** How long the other side may take to answer our goodbye before the socket is torn down. */
const GOODBYE_MS = 1_000;

export interface Ssh2ConnectionOptions {
  readonly target: SshTarget;
  readonly clock: Clock;
  readonly execMs: number;
}

/** An ssh2 client that is in, behind our interface. */
export class Ssh2Connection implements SshConnection {
  readonly description: string;
  readonly closed: Promise<void>;
  readonly #client: Client;
  readonly #stream: Duplex;
  readonly #options: Ssh2ConnectionOptions;
  #state: "open" | "closing" | "closed" = "open";
  #lastError: Error | undefined;

  constructor(client: Client, stream: Duplex, options: Ssh2ConnectionOptions) {
    const { user, host, port } = options.target;
    this.description = `${user}@${host}:${port} (ssh2)`;
    this.#client = client;
    this.#stream = stream;
    this.#options = options;
    client.on("error", (error) => {
      this.#lastError = error;
    });
    this.closed = new Promise((resolve) => {
      if (stream.destroyed) resolve();
      else stream.once("close", () => resolve());
    });
    void this.closed.then(() => {
      this.#state = "closed";
    });
  }

  /** For a jump host: the way through it. */
  get client(): Client {
    return this.#client;
  }

  async exec(command: string): Promise<RemoteProcess> {
    const onTimeout = (): CcmError => this.#failure("timeout", `did not start a command within ${this.#options.execMs / 1000} s`);
    const ended = this.closed.then((): never => {
      throw this.#failure("ssh_failed", `connection ended${this.#lastError ? ` (${plainLine(this.#lastError.message, 120)})` : ""}`);
    });
    const request = this.#request(command);
    try {
      return await beforeDeadline(Promise.race([request, ended]), { ms: this.#options.execMs, clock: this.#options.clock, onTimeout });
    } catch (error) {
      request.then((late) => late.close()).catch(() => {});
      throw error;
    }
  }

  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closing";
    this.#client.end();
    const cancel = this.#options.clock.after(GOODBYE_MS, () => this.#stream.destroy());
    void this.closed.then(cancel);
  }

  #request(command: string): Promise<RemoteProcess> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error): void =>
        reject(this.#failure("ssh_failed", `did not start a command: ${plainLine(error.message, 120)}`, error));
      if (this.#state !== "open") return refuse(new Error("the connection is closed"));
      const onStarted = (error: Error | undefined, channel: ClientChannel): void => {
        if (error) refuse(error);
        else resolve(remoteProcess(channel, this.closed));
      };
      try {
        this.#client.exec(command, onStarted);
      } catch (error) {
        refuse(error as Error);
      }
    });
  }

  #failure(code: "timeout" | "ssh_failed", what: string, cause?: Error): CcmError {
    return new CcmError(code, `${this.#options.target.alias}: ${what}`, { hint: "it is tried again with the next connection", cause });
  }
}
