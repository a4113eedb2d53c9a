import type { Measurement } from "./row.ts";
import { median, quantile } from "./statistics.ts";

/** A measurement as it is reported and written as JSON. */
export interface Result {
  readonly row: string;
  readonly what: string;
  readonly unit: string;
  readonly samples: number;
  readonly median: number;
  readonly p99?: number;
  readonly floor?: { readonly what: string; readonly median: number; readonly p99?: number };
  /** How many times its floor. */
  readonly ratio?: number;
  readonly target?: { readonly text: string; readonly met: boolean };
}

export function resultOf(row: string, { what, unit, samples, floor, hasTail = false, target }: Measurement): Result {
  const value = { median: median(samples), ...(hasTail && { p99: quantile(samples, 0.99) }) };
  const base = floor && {
    what: floor.what,
    median: median(floor.samples),
    ...(hasTail && { p99: quantile(floor.samples, 0.99) }),
  };
  const ratio = base && value.median / base.median;
  const judged = target?.of === "floor" ? ratio : value.median;
  return {
    row,
    what,
    unit,
    samples: samples.length,
    ...value,
    ...(base && { floor: base }),
    ...(ratio !== undefined && { ratio }),
    ...(target && {
      target: { text: `< ${target.below}${target.of === "floor" ? " x" : ` ${unit}`}`, met: (judged ?? Number.NaN) < target.below },
    }),
  };
}
