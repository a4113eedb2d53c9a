import type { BucketSize } from "../claude/admission/token-bucket.ts";
import { TokenBucket } from "../claude/admission/token-bucket.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";

/** Under what Claude Code grants a sender (30, and one every 2 s): its clock is not ours, and a message may take its time to arrive. */
export const PACE: BucketSize = { capacity: 28, refillPerSecond: 0.45 };
/** Above this, targets that nothing waits for and that have all of their tokens are forgotten. */
const MAX_TRACKED = 256;

/** Says that the message is under way, so that the next one's turn may come. May be called again. */
export type EndTurn = () => void;

interface Lane {
  readonly bucket: TokenBucket;
  readonly waiting: { readonly resolve: (endTurn: EndTurn) => void; readonly reject: (error: CcmError) => void }[];
  /** Whose turn it is has not ended it yet. */
  isBusy: boolean;
  cancel: (() => void) | undefined;
}

/** Gives each message to a target its turn, in order, so that the target's inbox drops none for being too fast. No target waits for another. */
export class Pacer {
  readonly #clock: Clock;
  readonly #pace: BucketSize;
  readonly #lanes = new Map<string, Lane>();
  #closed = false;

  constructor(clock: Clock, pace: BucketSize = PACE) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /** Settles when a message to `target` may go out; then its turn is to be ended. Rejects with `undeliverable` if the end comes first. */
  turn(target: string): Promise<EndTurn> {
    if (this.#closed) return Promise.reject(ended());
    this.#forgetIdle();
    const lane = this.#lanes.get(target) ?? this.#newLane();
    this.#lanes.set(target, lane);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ resolve, reject });
      this.#move(lane);
    });
  }

  /** Nobody's turn comes any more. */
  close(): void {
    this.#closed = true;
    for (const { waiting, cancel } of this.#lanes.values()) {
      cancel?.();
      for (const { reject } of waiting.splice(0)) reject(ended());
    }
  }

  #newLane(): Lane {
    return { bucket: new TokenBucket(this.#pace, this.#clock), waiting: [], isBusy: false, cancel: undefined };
  }

  #move(lane: Lane): void {
    if (lane.isBusy || lane.cancel !== undefined || lane.waiting.length === 0) return;
    if (!lane.bucket.take()) {
      lane.cancel = this.#clock.after(lane.bucket.waitMs, () => {
        lane.cancel = undefined;
        this.#move(lane);
      });
      return;
    }
    lane.isBusy = true;
    let isOver = false;
    lane.waiting.shift()?.resolve(() => {
      if (isOver) return;
      isOver = true;
      lane.isBusy = false;
      this.#move(lane);
    });
  }

  #forgetIdle(): void {
    if (this.#lanes.size < MAX_TRACKED) return;
    for (const [target, { bucket, waiting, isBusy }] of this.#lanes) {
      if (waiting.length === 0 && !isBusy && bucket.isFull) this.#lanes.delete(target);
    }
  }
}

function ended(): CcmError {
  return new CcmError("undeliverable", "the peer ended before it was the message's turn; nothing was written");
}
