import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import type { LinkConnection } from "./connection.ts";
import type { AnswerOp, AskOp } from "./protocol.ts";

export interface QuestionsOptions {
  readonly clock: Clock;
  /** Answers a question of the other machine; what it throws becomes the answer's error. */
  readonly answer: (question: AskOp["question"]) => Promise<unknown>;
}

interface Pending {
  readonly settle: (op: AnswerOp) => void;
  readonly fail: (error: CcmError) => void;
}

/** Questions that one daemon asks the other: plain ops, so an answer comes over the same connection or not at all. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Rejects with `timeout`, `link_down` when the connection ends first, and `refused` with the other side's reason. */
  ask(connection: LinkConnection, question: AskOp["question"], timeoutMs: number): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const cancel = this.#options.clock.after(timeoutMs, () => reject(new CcmError("timeout", `no answer within ${timeoutMs / 1000} s`)));
    this.#pending.set(id, {
      settle: ({ answer, error }) => (error === undefined ? resolve(answer) : reject(new CcmError("refused", error))),
      fail: reject,
    });
    connection.send({ op: "ask", id, question });
    return promise.finally(() => {
      cancel();
      this.#pending.delete(id);
    });
  }

  answered(op: AnswerOp): void {
    this.#pending.get(op.id)?.settle(op);
  }

  async reply(connection: LinkConnection, { id, question }: AskOp): Promise<void> {
    try {
      connection.send({ op: "answer", id, answer: await this.#options.answer(question) });
    } catch (error) {
      connection.send({ op: "answer", id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  /** The connection is gone. */
  failAll(error: CcmError): void {
    for (const { fail } of this.#pending.values()) fail(error);
  }
}
