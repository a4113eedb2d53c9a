/**
 * Loaded into every test file's process by `scripts/test-tiers.ts`. Something that a test has left open keeps its process, and with it the
 * whole run, for ever: no time limit of the runner's covers what comes after the last test. Here it fails the file and is named.
 */
import { after } from "node:test";

const GRACE_MS = 20_000;

// The runner itself is loaded with this too.
if (process.env["NODE_TEST_CONTEXT"] === "child-v8") {
  after(() => {
    setTimeout(() => {
      const held = process.getActiveResourcesInfo().join(", ");
      process.stderr.write(`${process.argv[1]} did not end within ${GRACE_MS / 1000} s of its last test; open are: ${held}\n`, () =>
        process.exit(1),
      );
    }, GRACE_MS).unref();
  });
}
