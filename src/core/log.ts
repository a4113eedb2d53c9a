import fs from "node:fs";

export type LogLevel = "info" | "warn";

export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

const MAX_LOG_BYTES = 4 * 1024 * 1024;

/**
 * A log for people, one line an event; at 4 MiB the file becomes `<file>.1` and a new one is begun. A disk that takes no more
 * must not end what it reports on: then a line is lost. `alsoTo` gets each line too, as a service's stderr goes to the journal.
 */
export function openLog(file: string, now: () => number = Date.now, alsoTo?: { write(line: string): void }): Log {
  const write = (level: LogLevel, message: string) => {
    alsoTo?.write(`${level} ${message.replaceAll("\n", " ")}\n`);
    try {
      if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) fs.renameSync(file, `${file}.1`);
      fs.appendFileSync(file, `${new Date(now()).toISOString()} ${level} ${message.replaceAll("\n", " ")}\n`, { mode: 0o600 });
    } catch {
      // Nowhere to say it.
    }
  };
  return { info: (message) => write("info", message), warn: (message) => write("warn", message) };
}
