const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

/** A duration as a person says it, two units at most: `4 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export function describeDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  if (seconds < MINUTE_SECONDS) return `${seconds} s`;
  if (seconds < HOUR_SECONDS) return `${Math.floor(seconds / MINUTE_SECONDS)} min`;
  if (seconds < DAY_SECONDS)
    return joinUnits(Math.floor(seconds / HOUR_SECONDS), "h", Math.floor((seconds % HOUR_SECONDS) / MINUTE_SECONDS), "min");
  return joinUnits(Math.floor(seconds / DAY_SECONDS), "d", Math.floor((seconds % DAY_SECONDS) / HOUR_SECONDS), "h");
}

/** Bytes in the decimal units that disks and networks are sold in: `873 B`, `41.6 MB`. */
export function describeBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function joinUnits(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}
