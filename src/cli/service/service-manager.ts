export interface ServiceState {
  /** Its definition is there. */
  readonly installed: boolean;
  readonly running: boolean;
  /** What the manager calls the state, in its own word. */
  readonly detail: string;
}

/** What starts and keeps the daemon of a user: systemd, or launchd. Every method rejects with `service_failed` where it refuses. */
export interface ServiceManager {
  readonly name: string;
  /** The definition that {@link install} writes. */
  readonly file: string;
  /** Writes the definition and has the daemon started now and at each login. Installing again is a change of the definition. */
  install(program: ServiceProgram): Promise<void>;
  /** Stops the daemon that runs as a service and takes the definition away. False if there was none. */
  uninstall(): Promise<boolean>;
  start(): Promise<void>;
  state(): Promise<ServiceState>;
  /** What a person should know of it: how to see the log, and what to do so that it runs without a login. */
  advice(): Promise<readonly string[]>;
}

export interface ServiceProgram {
  readonly executable: string;
  /** Variables that decide which daemon it is, as they are where the service is installed. */
  readonly environment: Readonly<Record<string, string>>;
}

const DECIDING = /^(XDG_(CONFIG|STATE|CACHE)_HOME|CLAUDE_CONFIG_DIR|CLAUDE_CODE_TMPDIR)$/;

/** Those of `environment` without which the service would be the daemon of another configuration. */
export function decidingVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  const pairs = Object.entries(environment).flatMap(([name, value]) => (value && DECIDING.test(name) ? [[name, value] as const] : []));
  return Object.fromEntries(pairs.sort());
}
