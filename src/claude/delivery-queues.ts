import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { deliverBatch, frameLine } from "./deliver.ts";
import { type Frame, MAX_LINE_CHARACTERS } from "./frames.ts";
import { readPeerToken } from "./key-file.ts";
import type { PeerIdentity } from "./peer-files.ts";
import { hasProcStart } from "./process-identity.ts";

/** Leaves room for the auth line, whatever its token: a frame near the limit goes alone, to be judged alone. */
const MAX_BATCH_CHARACTERS = MAX_LINE_CHARACTERS - 4_096;
/** Claude Code takes a burst of 30 messages from one sender; what comes after that it refuses anyway. */
const MAX_BATCH_FRAMES = 30;

interface Waiting {
  /** The frame as it goes over the wire. */
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface DeliveryQueuesOptions {
  readonly claudeConfig: string;
  readonly clock: Clock;
}

/**
 * Deliveries of one sender: in order for each target, side by side for different ones. A receiver takes about 70 ms to hang
 * up, so what has gathered for it in the meantime goes through one connection.
 */
export class DeliveryQueues {
  readonly #options: DeliveryQueuesOptions;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: DeliveryQueuesOptions) {
    this.#options = options;
  }

  /** Rejects as {@link deliverBatch} does, with `undeliverable` also if the target's process is not the one named any more. */
  deliver(target: PeerIdentity, frame: Frame): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { line: frameLine(frame), resolve, reject };
      const key = `${target.pid} ${target.procStart} ${target.socketPath}`;
      const queue = this.#queues.get(key);
      if (queue) {
        queue.push(waiting);
        return;
      }
      this.#queues.set(key, [waiting]);
      const run = this.#run(key, target).finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run(key: string, target: PeerIdentity): Promise<void> {
    const queue = this.#queues.get(key) ?? [];
    while (queue.length > 0) {
      const batch = takeBatch(queue);
      try {
        await this.#write(
          target,
          batch.map(({ line }) => line),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(key);
  }

  /** A target is named by its process: the path alone could have gone to another since. */
  async #write({ pid, procStart, socketPath }: PeerIdentity, lines: readonly string[]): Promise<void> {
    const { claudeConfig, clock } = this.#options;
    const token = () => {
      if (!hasProcStart(pid, procStart)) throw new CcmError("undeliverable", `the session of process ${pid} is no longer there`);
      const found = readPeerToken(claudeConfig, pid, socketPath);
      if (found !== undefined || process.platform !== "linux") return found;
      throw new CcmError("undeliverable", `the inbox ${socketPath} has no key that vouches for it`);
    };
    await deliverBatch({ socketPath, token, lines, clock });
  }
}

/** At least one, from the head of the queue. */
function takeBatch(queue: Waiting[]): Waiting[] {
  let count = 0;
  let characters = 0;
  for (const waiting of queue) {
    characters += waiting.line.length;
    if (count > 0 && (count === MAX_BATCH_FRAMES || characters > MAX_BATCH_CHARACTERS)) break;
    count += 1;
  }
  return queue.splice(0, count);
}
