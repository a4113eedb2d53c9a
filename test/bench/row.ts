/** One thing that is measured, beside its floor: what the same machine needs at the least for the same thing, in the same run. */
export interface Measurement {
  readonly what: string;
  readonly unit: "ms" | "MB" | "% of a core" | "messages/s";
  readonly samples: readonly number[];
  readonly floor?: { readonly what: string; readonly samples: readonly number[] };
  /** Whether the tail matters: shows the 99th percentile as well. */
  readonly hasTail?: boolean;
  readonly target?: Target;
}

/** A bound on the median: as it is, or as a multiple of the floor's median. */
export interface Target {
  readonly below: number;
  readonly of?: "floor";
}

/** A file in `rows/` has one. It cleans up after itself, however it ends. */
export interface Row {
  readonly name: string;
  /** Why it cannot run on this machine, or false. */
  readonly unavailable: () => string | false;
  readonly run: () => Promise<readonly Measurement[]>;
}
