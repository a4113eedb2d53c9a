import { Duplex, type Readable, type Writable } from "node:stream";

export interface JoinedStreamOptions {
  readonly readable: Readable;
  readonly writable: Writable;
  /** Called once, when the stream is given up or has failed: lets go of what carries it. */
  readonly release: () => void;
  /** Called when `readable` has ended: why that is a failure, or undefined for an orderly end. */
  readonly explainEnd?: () => Promise<Error | undefined>;
}

/** Two halves as one stream that ends like a socket, whatever they do: `close` follows `destroy` at once. */
export class JoinedStream extends Duplex {
  readonly #options: JoinedStreamOptions;

  constructor(options: JoinedStreamOptions) {
    super();
    this.#options = options;
    const { readable, writable } = options;
    readable.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) readable.pause();
    });
    const explainEnd = async (): Promise<void> => this.#end(await options.explainEnd?.());
    readable.once("end", () => void explainEnd());
    readable.on("error", (error) => this.destroy(error));
    readable.once("close", () => void explainEnd());
    // That nobody reads any more shows on the other half, with the reason.
    writable.on("error", () => {});
  }

  #end(error: Error | undefined): void {
    if (this.destroyed) return;
    if (error) this.destroy(error);
    else if (!this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#options.readable.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    const { writable, explainEnd } = this.#options;
    writable.write(chunk, (error) => {
      // A broken pipe is not the reason; why the other end has gone is.
      if (error && explainEnd) void explainEnd().then((reason) => callback(reason ?? error));
      else callback(error);
    });
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#options.writable.end();
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#options.release();
    callback(error);
  }
}
