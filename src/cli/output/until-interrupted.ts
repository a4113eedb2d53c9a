const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Aborts when the person ends a command that runs on, which then ends in order and with success. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => controller.abort());
  return controller.signal;
}
