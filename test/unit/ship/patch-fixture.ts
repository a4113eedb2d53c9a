import { applyBlocks } from "../../../src/ship/apply-blocks.ts";

/** `settle patch` of a fixture executable: the file, then the words after `patch`. */
const [file = "", ...words] = process.argv.slice(2);
await applyBlocks(words, file);
