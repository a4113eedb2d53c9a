import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { stop } from "esbuild";
import { bundle } from "../../../build/bundle.ts";
import { BUILD_ID_PLACEHOLDER } from "../../../build/identity.ts";
import { compile, run } from "../../../build/packed-bundle.ts";

const bundles = bundle("1.2.3", "abc").finally(stop);

test("hook, mirror, serve and send load no package: the main bundle is this project's own files", async () => {
  const { main } = await bundles;
  assert.deepEqual(
    main.inputs.filter((input) => input.includes("node_modules")),
    [],
  );
});

test("what the runtime starts only opens the main bundle: nothing in it was compiled ahead", async () => {
  const { start } = await bundles;
  assert.deepEqual(start.inputs.toSorted(), ["build/open-bundle.ts", "build/packed-bundle.ts", "build/start.ts"]);
});

test("the main bundle stays small: every start of a hook or a mirror reads it", async () => {
  const { main } = await bundles;
  assert.ok(main.text.length < 200_000, `${main.text.length} bytes`);
});

test("the second bundle holds the command line, and neither Node's HTTP client nor all of zod's languages", async () => {
  const { commandLine } = await bundles;
  assert.ok(commandLine.inputs.includes("src/cli/command-line.ts"));
  assert.doesNotMatch(commandLine.text, /require\("(node:)?https"\)/);
  assert.ok(!commandLine.inputs.some((input) => /zod.*locales\/(?!en\.|index)/.test(input)), 'import zod as `import * as z from "zod"`');
});

test("a command that serves nothing does not pay for what serves HTTP: none of it is loaded before it is asked for", async () => {
  const { commandLine } = await bundles;
  assert.ok(commandLine.inputs.includes("src/api/http-door.ts"));
  const loaded: string[] = [];
  const require = createRequire(import.meta.url);
  run(compile("command-line", commandLine.text), ((name: string) => {
    loaded.push(name);
    return require(name);
  }) as NodeJS.Require);
  assert.deepEqual(
    loaded.filter((name) => /^(node:)?http/.test(name)),
    [],
  );
});

test("both bundles are ASCII and hold the version and the place of the build id", async () => {
  const { main, commandLine } = await bundles;
  for (const { text } of [main, commandLine]) {
    assert.match(text, /^[\t\n\r -~]*$/);
    assert.ok(text.includes("1.2.3"));
    assert.ok(text.includes(BUILD_ID_PLACEHOLDER));
  }
});
