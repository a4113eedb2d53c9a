/** The one table of `send`'s options: for the light parser that runs, and for yargs' help and completion. */
export const sendOptions = {
  json: { type: "boolean", describe: "Report as one JSON object" },
  wait: {
    type: "string",
    describe: "--wait[=SECONDS]: follow it for 5 s or SECONDS, and end with what became of it",
  },
} as const;
