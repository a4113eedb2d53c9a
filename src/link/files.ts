import type { Clock } from "../core/clock.ts";
import type { LinkConnection } from "./connection.ts";
import { FilesIn } from "./files-in.ts";
import { FilesOut } from "./files-out.ts";
import { FILES_FEATURE, type Hello, type LinkOp } from "./protocol.ts";

export interface FilesOptions {
  readonly claudeConfig: string;
  readonly clock: Clock;
}

/** The files of messages, both ways over whatever connection there is. See "Files" in PROTOCOL.md. */
export class Files {
  readonly out: FilesOut;
  readonly in: FilesIn;

  constructor(options: FilesOptions) {
    this.out = new FilesOut(options);
    this.in = new FilesIn(options);
  }

  open(connection: LinkConnection, hello: Hello): void {
    this.in.open(connection);
    this.out.open(connection, hello.features?.includes(FILES_FEATURE) ?? false);
  }

  suspend(): void {
    this.in.suspend();
    this.out.suspend();
  }

  /** No file goes or comes any more: who waits for one is told. Settles when nothing half-written is left. */
  async close(): Promise<void> {
    this.out.abandon();
    await this.in.close();
  }

  /** Takes an op of this part; false for one that is not. */
  receive(op: LinkOp): boolean {
    switch (op.op) {
      case "file":
      case "piece":
        this.in.receive(op);
        return true;
      case "taken":
      case "stored":
        this.out.receive(op);
        return true;
      case "unstored":
        this.in.receive(op);
        this.out.receive(op);
        return true;
      default:
        return false;
    }
  }
}
