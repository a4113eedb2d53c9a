export type Arrival = "new" | "seen" | "gap";

/** What was received of the other side's stream, so that nothing is handled twice and nothing missing goes unnoticed. */
export class Arrivals {
  #stream: string | undefined;
  #seq = 0;

  get received(): { readonly stream: string; readonly seq: number } | null {
    return this.#stream === undefined ? null : { stream: this.#stream, seq: this.#seq };
  }

  /** The other side numbers in this stream from now on. A stream not seen before begins at 1. */
  follow(stream: string): void {
    if (stream === this.#stream) return;
    this.#stream = stream;
    this.#seq = 0;
  }

  /** Counts `seq` as handled if it is the next; `seen` is a repetition, `gap` means that something is lost for good. */
  take(seq: number): Arrival {
    if (seq <= this.#seq) return "seen";
    if (seq > this.#seq + 1) return "gap";
    this.#seq = seq;
    return "new";
  }

  /** Remembers nothing, so that the other side starts afresh. */
  forget(): void {
    this.#stream = undefined;
    this.#seq = 0;
  }
}
