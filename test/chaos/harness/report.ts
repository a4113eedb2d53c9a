import { type Fate, fateOf, forbiddenFates, type Message } from "./ledger.ts";
import type { Heal, World } from "./world.ts";

export interface Report {
  readonly messages: number;
  readonly fates: Readonly<Partial<Record<Fate, number>>>;
  readonly outOfOrder: number;
  /** `Failed to send`, and it arrived all the same: the sender may repeat it. */
  readonly failedButArrived: number;
  readonly unconfirmedButArrived: number;
  readonly strange: readonly string[];
  /** Links that came up after the first time. */
  readonly reconnects: number;
  /** From the healing of a cable to the arrival of what was written while it was cut. */
  readonly delayAfterHealMs: Readonly<Record<"median" | "p95" | "max", number>> | undefined;
  /** From the writing to the arrival, of all. */
  readonly delayMs: Readonly<Record<"median" | "p95" | "max", number>> | undefined;
  readonly twice: readonly string[];
  /** What did not come back by itself: a link, a mirror. */
  readonly wrong: readonly string[];
  readonly left: readonly string[];
  /** The messages that must not be, in full. */
  readonly offenders: readonly Message[];
}

export function makeReport(world: World, found: Pick<Report, "reconnects" | "twice" | "wrong" | "left">): Report {
  const { messages } = world.ledger;
  const fates: Partial<Record<Fate, number>> = {};
  const offenders: Message[] = [];
  for (const message of messages) {
    const fate = fateOf(message, world);
    fates[fate] = (fates[fate] ?? 0) + 1;
    if (forbiddenFates.includes(fate)) offenders.push(message);
  }
  const arrived = messages.filter(({ got }) => got.length > 0);
  return {
    messages: messages.length,
    fates,
    outOfOrder: world.ledger.outOfOrder(),
    failedButArrived: arrived.filter(({ wrote }) => wrote === "failed").length,
    unconfirmedButArrived: arrived.filter(({ unconfirmed }) => unconfirmed > 0).length,
    strange: [...world.ledger.strange, ...world.ledger.unheardOf.map(({ id }) => `about ${id}, which nobody wrote`)],
    delayMs: quantiles(arrived.map(({ at, got }) => (got[0]?.at ?? at) - at)),
    delayAfterHealMs: quantiles(world.healedAt.flatMap((heal) => delaysAfter(heal, arrived))),
    offenders,
    ...found,
  };
}

/** Empty if all is as it must be; else what is not. */
export function faultsFound(report: Report): string[] {
  return [
    ...report.offenders.map((message) => `${JSON.stringify(message)}`),
    ...(report.outOfOrder > 0 ? [`${report.outOfOrder} out of order`] : []),
    ...report.strange.map((what) => `strange: ${what}`),
    ...report.twice.map((what) => `listed twice: ${what}`),
    ...report.wrong.map((what) => `not whole again: ${what}`),
    ...report.left.map((what) => `left: ${what}`),
  ];
}

export function describeReport(report: Report): string {
  const fates = Object.entries(report.fates).map(([fate, count]) => `  ${fate.padEnd(22)}${count}`);
  const times = (quantity: Report["delayMs"]) =>
    quantity ? `median ${quantity.median} ms, p95 ${quantity.p95} ms, max ${quantity.max} ms` : "none";
  return [
    `messages                ${report.messages}`,
    ...fates,
    ...forbiddenFates.filter((fate) => report.fates[fate] === undefined).map((fate) => `  ${fate.padEnd(22)}0`),
    `out of order            ${report.outOfOrder}`,
    `failed, yet arrived     ${report.failedButArrived}`,
    `unconfirmed, yet arrived ${report.unconfirmedButArrived}`,
    `reconnects              ${report.reconnects}`,
    `delay                   ${times(report.delayMs)}`,
    `delay after heal        ${times(report.delayAfterHealMs)}`,
    `listed twice            ${report.twice.length}`,
    `not whole again         ${report.wrong.length}`,
    `left behind             ${report.left.length}`,
    `strange                 ${report.strange.length}`,
  ].join("\n");
}

/** Of what was written to or from that host while its cable was cut, and arrived after it was healed. */
function delaysAfter({ host, at: healedAt, lastedMs }: Heal, arrived: readonly Message[]): number[] {
  const touches = (message: Message) => message.from.startsWith(`${host}/`) || message.to.startsWith(`${host}/`);
  return arrived.flatMap((message) => {
    const arrivedAt = message.got[0]?.at ?? 0;
    const during = message.at > healedAt - lastedMs && message.at < healedAt;
    return during && touches(message) && arrivedAt > healedAt ? [arrivedAt - healedAt] : [];
  });
}

function quantiles(values: number[]): Report["delayMs"] {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((left, right) => left - right);
  const at = (fraction: number) => sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? 0;
  return { median: at(0.5), p95: at(0.95), max: at(1) };
}
