import path from "node:path";
import type { Plugin } from "esbuild";
import { root } from "./runtime.ts";

const LIGHT_STRING_WIDTH = path.join(root, "build", "light-string-width.ts");

/** In the main bundle, `cli/command-line.ts` is what opens the second bundle. */
export const secondBundle: Plugin = {
  name: "second-bundle",
  setup({ onResolve }) {
    onResolve({ filter: /\/cli\/command-line\.ts$/ }, ({ importer }) =>
      importer === path.join(root, "src", "main.ts") ? { path: path.join(root, "build", "open-command-line.ts") } : undefined,
    );
  },
};

/** ssh2 asks for native add-ons inside a `try` and does without them; the executable carries none. */
export const noAddOns: Plugin = {
  name: "no-add-ons",
  setup({ onResolve }) {
    onResolve({ filter: /\.node$|^cpu-features$/ }, ({ path: name }) => ({ path: name, external: true }));
  },
};

/**
 * Leaves out what costs each command time and gives it nothing: ssh2's HTTP agents load Node's `https`, and yargs' `string-width`
 * builds an `Intl.Segmenter` as it loads.
 */
export const lightDependencies: Plugin = {
  name: "light-dependencies",
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^\.\/http-agents\.js$/ }, () => ({ path: "http-agents", namespace: "empty" }));
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "module.exports = {};" }));
    onResolve({ filter: /^string-width$/ }, ({ importer, kind, pluginData }) => {
      if (pluginData === "the real one") return undefined;
      if (importer !== LIGHT_STRING_WIDTH) return { path: LIGHT_STRING_WIDTH };
      return resolve("string-width", { kind, resolveDir: path.join(root, "node_modules", "yargs"), pluginData: "the real one" });
    });
  },
};

/** Parts of Node that a start loads for nothing when a command then calls none of their functions: `crypto` alone is 10 ms. */
const LAZY_BUILTINS = /^(?:node:)?(?:assert|child_process|crypto|os|readline|sea|util)$/;

/**
 * An import of one of these gives functions that load it at their first call. For named imports of functions in ES modules;
 * importing a class or a constant fails the build, and then that part must leave the list. Importing the whole loads it at once. These
 * functions have no properties: `promisify` does not know an `execFile` for what it is (see `core/run-program.ts`).
 */
export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: LAZY_BUILTINS }, ({ path: name, kind }) =>
      kind === "import-statement" ? { path: name.replace(/^(?!node:)/, "node:"), namespace: "lazy", sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "lazy" }, ({ path: name }) => ({ contents: lazyModule(name) }));
  },
};

function lazyModule(name: string): string {
  const functions = Object.entries(process.getBuiltinModule(name) ?? {}).filter(
    ([key, value]) => /^[a-z]/.test(key) && typeof value === "function",
  );
  const lines = functions.map(([key]) => `export const ${key} = (...args) => load().${key}(...args);`);
  const whole = "export default /* @__PURE__ */ load();";
  return [`const load = () => require(${JSON.stringify(name)});`, ...lines, whole].join("\n");
}

/** Parts of Node that nearly every file imports whole. */
const SHARED_BUILTINS = /^node:(?:fs|net|path)$/;

/**
 * The default import of one of these is the builtin itself. Left alone, each importing file makes a copy of all that is in it, at every
 * start: for `fs`, a hundred getters for each of a dozen files. A named import in our own files fails the build.
 */
export const sharedBuiltins: Plugin = {
  name: "shared-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: SHARED_BUILTINS }, ({ path: name, kind, importer }) =>
      kind === "import-statement" && importer.startsWith(path.join(root, "src"))
        ? { path: name, namespace: "shared", sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "shared" }, ({ path: name }) => ({ contents: `export default require(${JSON.stringify(name)});` }));
  },
};
