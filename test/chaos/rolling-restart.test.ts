import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import { pairOfMachines } from "../support/pair-of-machines.ts";
import type { TestMachine, TestSession } from "../support/test-machine.ts";

const ROUNDS = 4;
/** How often a session writes; a link that is up has a few messages under way at any time. */
const EVERY_MS = 5;
/** Between two restarts, in messages that arrived. */
const ENOUGH = 40;

/** A session that writes numbers, and writes again what it is told was not delivered, as a model would. */
class Writer {
  readonly session: TestSession;
  readonly #to: string;
  readonly #ids = new Map<string, number>();
  readonly #unsent: number[] = [];
  #isStopped = false;
  #running = Promise.resolve();
  count = 0;
  failed = 0;
  dropped = 0;

  constructor(session: TestSession, to: string) {
    this.session = session;
    this.#to = to;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#write(this.#unsent.shift() ?? this.count++);
      await delay(EVERY_MS);
      this.collect();
    }
    while (this.collect() > 0) for (const number of this.#unsent.splice(0)) await this.#write(number);
  }

  /** Takes note of what it was told; how many have to be written again. */
  collect(): number {
    for (const [id, number] of this.#ids) {
      if (!this.session.receipts(id).some(({ status }) => status === "dropped")) continue;
      this.dropped += 1;
      this.#unsent.push(number);
      this.#ids.delete(id);
    }
    return this.#unsent.length;
  }

  async #write(number: number): Promise<void> {
    try {
      const [id = ""] = await this.session.send(this.#to, String(number));
      this.#ids.set(id, number);
    } catch {
      // Nobody listens there just now, and the sender knows.
      this.failed += 1;
      this.#unsent.push(number);
    }
  }
}

function arrivals(session: TestSession): number[] {
  return session.messages.map(({ envelope }) => Number(envelope.body)).filter((number) => !Number.isNaN(number));
}

/** Notices in words, which is how a session hears that nobody knows. */
function unconfirmedNotices(session: TestSession): number {
  return session.messages.filter(({ envelope }) => Number.isNaN(Number(envelope.body))).length;
}

test("steady traffic both ways while each daemon is restarted in turn: every message arrives once, and none is unconfirmed", {
  timeout: 180_000,
}, async (context) => {
  const { laptop, server, webUi, api } = await pairOfMachines(context);
  const writers = [new Writer(webUi, "server-api"), new Writer(api, "laptop-web-ui")] as const;
  for (const writer of writers) writer.start();
  const stopsMs: number[] = [];
  const restart = async (machine: TestMachine) => {
    const before = [arrivals(webUi).length, arrivals(api).length];
    await eventually(() => [webUi, api].every((session, index) => arrivals(session).length >= (before[index] ?? 0) + ENOUGH), {
      deadlineMs: 60_000,
      what: "traffic both ways",
    });
    const begunMs = performance.now();
    await machine.stop(false);
    stopsMs.push(performance.now() - begunMs);
    await machine.start();
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await restart(laptop);
    await restart(server);
  }
  await Promise.all([laptop.mirror("server-api"), server.mirror("laptop-web-ui")]);
  await Promise.all(writers.map((writer) => writer.stop()));
  const missing = () => writers.map(({ count }, index) => count - new Set(arrivals(index === 0 ? api : webUi)).size);
  await eventually(() => missing().every((number) => number === 0), { deadlineMs: 20_000, what: "the last ones" }).catch(() => undefined);
  const [total, failed, dropped] = (["count", "failed", "dropped"] as const).map((key) =>
    writers.reduce((sum, writer) => sum + writer[key], 0),
  );
  const twice = [webUi, api].reduce((sum, session) => sum + arrivals(session).length - new Set(arrivals(session)).size, 0);
  const unconfirmed = unconfirmedNotices(webUi) + unconfirmedNotices(api);
  context.diagnostic(
    `${2 * ROUNDS} restarts, ${total} messages: missing ${missing()}, twice ${twice}, unconfirmed ${unconfirmed}; told as unsent and sent again: ` +
      `${failed} at once, ${dropped} by receipt; a daemon takes ${Math.round(Math.max(...stopsMs))} ms at most to end`,
  );
  assert.deepEqual([missing(), twice, unconfirmed], [[0, 0], 0, 0]);
});
