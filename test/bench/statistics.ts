/** The value that a share of the samples does not exceed, by the nearest rank. NaN for no samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}
