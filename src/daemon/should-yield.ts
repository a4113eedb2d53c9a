export interface Build {
  readonly version: string;
  readonly buildId: string;
}

/** Whether a daemon of one build makes room for another: for a newer version, and for another build of the same one; never for an older. */
export function shouldYield(own: Build, other: Build): boolean {
  if (own.buildId === other.buildId) return false;
  return compareVersions(other.version, own.version) >= 0;
}

/** By the three numbers; what follows them, as in 1.2.0-dev, counts as older than nothing. */
function compareVersions(left: string, right: string): number {
  const [leftParts, rightParts] = [numbers(left), numbers(right)];
  for (let part = 0; part < 3; part += 1) {
    const difference = (leftParts[part] ?? 0) - (rightParts[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(!left.includes("-")) - Number(!right.includes("-"));
}

function numbers(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}
