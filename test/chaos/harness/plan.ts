import { Random } from "../../support/random.ts";

/** What goes wrong; faults.ts knows how. Those with a duration end by themselves. */
export const faultKinds = {
  "cut cable": { weight: 4, minMs: 500, maxMs: 25_000 },
  "slow wire": { weight: 2, minMs: 2_000, maxMs: 12_000 },
  "stalled wire": { weight: 2, minMs: 1_000, maxMs: 20_000 },
  "reset wire": { weight: 2, minMs: 0, maxMs: 0 },
  "stop daemon": { weight: 2, minMs: 500, maxMs: 18_000 },
  "stop serve": { weight: 2, minMs: 500, maxMs: 18_000 },
  "stop sshd connection": { weight: 2, minMs: 500, maxMs: 18_000 },
  "stop mirror": { weight: 2, minMs: 200, maxMs: 7_000 },
  "stop session": { weight: 1, minMs: 200, maxMs: 4_000 },
  "kill daemon": { weight: 3, minMs: 0, maxMs: 3_000 },
  "kill serve": { weight: 2, minMs: 0, maxMs: 0 },
  "kill sshd connection": { weight: 2, minMs: 0, maxMs: 0 },
  "kill mirror": { weight: 4, minMs: 0, maxMs: 0 },
  "kill session": { weight: 2, minMs: 100, maxMs: 2_000 },
  "end session": { weight: 1, minMs: 100, maxMs: 2_000 },
  "restart sshd": { weight: 1, minMs: 0, maxMs: 3_000 },
  "fill disk": { weight: 1, minMs: 2_000, maxMs: 10_000 },
} as const;

export type FaultKind = keyof typeof faultKinds;

export interface PlannedFault {
  readonly atMs: number;
  readonly kind: FaultKind;
  readonly host: string;
  readonly durationMs: number;
  /** Which of several candidates (mirrors, sessions, …) it hits: a fraction of their number. */
  readonly which: number;
}

export interface PlanOptions {
  readonly seed: number;
  readonly lengthMs: number;
  readonly hosts: readonly string[];
  /** The mean time from one fault to the next. */
  readonly everyMs: number;
  /** Only these, where given. */
  readonly kinds?: readonly FaultKind[] | undefined;
}

/** The same plan for the same options. A fault does not hit a host on which one of its kind lasts; different ones overlap. */
export function makePlan({ seed, lengthMs, hosts, everyMs, kinds }: PlanOptions): PlannedFault[] {
  const random = new Random(seed);
  const drawn = (kinds ?? (Object.keys(faultKinds) as FaultKind[])).flatMap((kind) => Array<FaultKind>(faultKinds[kind].weight).fill(kind));
  const busyUntil = new Map<string, number>();
  const plan: PlannedFault[] = [];
  for (let atMs = everyMs; atMs < lengthMs; atMs += random.between(0.2, 1.8) * everyMs) {
    const kind = random.pick(drawn) ?? "cut cable";
    const host = random.pick(hosts) ?? "";
    const { minMs, maxMs } = faultKinds[kind];
    // Short ones more often than long ones.
    const durationMs = Math.min(Math.round(minMs + random.next() ** 2 * (maxMs - minMs)), lengthMs - atMs);
    const which = random.next();
    const key = `${kind} ${host}`;
    if ((busyUntil.get(key) ?? 0) > atMs) continue;
    busyUntil.set(key, atMs + durationMs);
    plan.push({ atMs: Math.round(atMs), kind, host, durationMs, which });
  }
  return plan;
}

export function describeFault({ atMs, kind, host, durationMs }: PlannedFault): string {
  const duration = durationMs > 0 ? ` for ${(durationMs / 1000).toFixed(1)} s` : "";
  return `${(atMs / 1000).toFixed(1).padStart(7)} s  ${kind} on ${host}${duration}`;
}
