import type { CommandModule } from "yargs";

export const demo: CommandModule = {
  command: "demo",
  describe: "Show it all on this machine: two throwaway homes, paired, talking, and gone again",
  // What it needs takes longer to load than other commands take to run.
  handler: async () => (await import("../demo/run-demo.ts")).runDemo(),
};
