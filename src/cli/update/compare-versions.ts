/** Whether `candidate` is newer than `current`, both as semantic versions: a pre-release comes before its release. */
export function isNewer(candidate: string, current: string): boolean {
  const [one, other] = [parse(candidate), parse(current)];
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (one.preRelease === other.preRelease) return false;
  if (one.preRelease === "" || other.preRelease === "") return one.preRelease === "";
  return one.preRelease.localeCompare(other.preRelease, "en", { numeric: true }) > 0;
}

function parse(version: string): { numbers: number[]; preRelease: string } {
  const [core = "", preRelease = ""] = version.replace(/\+.*$/, "").split(/-(.*)/s);
  return { numbers: core.split(".").map((part) => Number.parseInt(part, 10) || 0), preRelease };
}
