import path from "node:path";
import { type BuildOptions, type BuildResult, build } from "esbuild";
import { lazyBuiltins, lightDependencies, noAddOns, secondBundle, sharedBuiltins } from "./bundle-plugins.ts";
import { BUILD_ID_PLACEHOLDER, defaultReleases } from "./identity.ts";
import { root } from "./runtime.ts";

export interface Bundle {
  readonly text: string;
  /** The files that something of is in it, relative to the repository. */
  readonly inputs: readonly string[];
}

export interface Bundles {
  /** What the runtime starts, and no more than opens the main bundle. */
  readonly start: Bundle;
  /** What every start loads: `src/main.ts` and the rooms behind its imports, except the command line. */
  readonly main: Bundle;
  /** The command line with yargs, zod and ssh2: opened only by the commands that need them. */
  readonly commandLine: Bundle;
}

const COMMAND_LINE = path.join(root, "src", "cli", "command-line.ts");

/** All programs as CommonJS text, ASCII only, with {@link BUILD_ID_PLACEHOLDER} where the build id goes. */
export async function bundle(version: string, commit: string): Promise<Bundles> {
  const shared: BuildOptions = {
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "cjs",
    target: `node${process.versions.node}`,
    minify: true,
    charset: "ascii",
    legalComments: "none",
    logLevel: "silent",
    absWorkingDir: root,
    define: {
      CCM_VERSION: JSON.stringify(version),
      CCM_COMMIT: JSON.stringify(commit),
      CCM_BUILD_ID: JSON.stringify(BUILD_ID_PLACEHOLDER),
      CCM_DEFAULT_RELEASES: JSON.stringify(defaultReleases()),
      // yargs derives its translations and a main file from where it lies (and asks for the working directory, which may be gone, if
      // it cannot). A bundle lies nowhere; this names no file that is there.
      "import.meta.url": JSON.stringify("file:///ccm/node_modules/ccm/bundle.js"),
      "import.meta.dirname": '"/"',
    },
  };
  const [start, main, commandLine] = await Promise.all([
    build({ ...shared, entryPoints: [path.join(root, "build", "start.ts")] }),
    build({
      ...shared,
      entryPoints: [path.join(root, "src", "main.ts")],
      plugins: [secondBundle, noAddOns, lightDependencies, lazyBuiltins, sharedBuiltins],
    }),
    build({ ...shared, entryPoints: [COMMAND_LINE], plugins: [noAddOns, lightDependencies, lazyBuiltins, sharedBuiltins] }),
  ]);
  return { start: toBundle(start), main: toBundle(main), commandLine: toBundle(commandLine) };
}

function toBundle({ outputFiles, metafile }: BuildResult): Bundle {
  const [file, ...others] = outputFiles ?? [];
  if (!file || others.length > 0) throw new Error(`a bundle must be one file, not ${outputFiles?.length ?? 0}`);
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  return { text: file.text, inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => input) };
}
