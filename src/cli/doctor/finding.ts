export type Level = "ok" | "warn" | "fail";

/** What one check of `ccm doctor` found, as its `--json` prints it. */
export interface Finding {
  /** Stable, for scripts: `config`, `state_directory`, `session`, … */
  readonly check: string;
  readonly level: Level;
  /** What this is about where a check has several: a session, a peer. */
  readonly subject?: string;
  /** One line: how it is. */
  readonly detail: string;
  /** One line: what to do about it. */
  readonly fix?: string;
}

export function ok(check: string, detail: string, subject?: string): Finding {
  return { check, level: "ok", ...(subject !== undefined && { subject }), detail };
}

export function trouble(
  level: "warn" | "fail",
  check: string,
  detail: string,
  options: { fix?: string | undefined; subject?: string } = {},
): Finding {
  const { fix, subject } = options;
  return { check, level, ...(subject !== undefined && { subject }), detail, ...(fix !== undefined && { fix }) };
}
