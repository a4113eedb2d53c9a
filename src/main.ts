/**
 * The first word chooses a room. What runs often or many times over (hook, mirror, serve, a plain send) is in this bundle and
 * small; everything else, with yargs, zod and ssh2, is in the second bundle that only `cli/command-line.ts` opens.
 */
async function main(words: readonly string[]): Promise<void> {
  switch (words[0]) {
    case "mirror":
      return (await import("./mirror/run-mirror.ts")).runMirror();
    case "serve":
      return (await import("./daemon/serve.ts")).serve(words.slice(1));
    default:
      return (await import("./cli/command-line.ts")).runCommandLine(words);
  }
}

await main(process.argv.slice(2));
