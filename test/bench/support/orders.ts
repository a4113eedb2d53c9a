import { LineReader } from "../../../src/core/line-reader.ts";

const MAX_LINE_BYTES = 8 * 1024 * 1024;

export type OrderAnswer = { readonly value: unknown } | { readonly error: string };

/** For a program: answers each JSON line of its stdin with one on its stdout, in order; leaves with its stdin. Says first that it is ready. */
export function answerOrders<Order>(obey: (order: Order) => unknown): void {
  let last: Promise<unknown> = Promise.resolve();
  const lines = new LineReader({
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => {
      last = last.then(async () => tell(await answer(() => obey(JSON.parse(line)))));
    },
    onOverflow: () => process.exit(1),
  });
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk)).on("end", () => process.exit());
  tell({ value: "ready" });
}

async function answer(work: () => unknown): Promise<OrderAnswer> {
  try {
    return { value: (await work()) ?? null };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function tell(message: OrderAnswer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
