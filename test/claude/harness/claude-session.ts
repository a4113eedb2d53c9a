import type { ModelTurn } from "../../../src/selftest/model-turn.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { type HostRecord, readRecords } from "../../hosts/harness/registry-files.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import { prepareClaudeHome } from "./claude-home.ts";
import { fetchClaude, standInKey } from "./fetch-claude.ts";
import { ensureModel, modelTurns, modelUrl } from "./model.ts";
import { Terminal } from "./terminal.ts";

export interface SessionOptions {
  readonly name: string;
  readonly version: string;
  /** More arguments of Claude Code, such as `--dangerously-skip-permissions`. */
  readonly args?: readonly string[];
  /** Its CLAUDE_CONFIG_DIR, an absolute path. */
  readonly configDir?: string;
  readonly env?: NodeJS.ProcessEnv;
}

let orders = 0;

/** A real, interactive Claude Code session in a terminal, whose model is the stand-in. Made by {@link startSession}. */
export class ClaudeSession {
  readonly name: string;
  readonly host: Host;
  readonly terminal: Terminal;
  readonly #configDirectory: string;

  constructor(host: Host, name: string, terminal: Terminal, configDirectory: string) {
    this.host = host;
    this.name = name;
    this.terminal = terminal;
    this.#configDirectory = configDirectory;
  }

  /** Its record in the registry, as it is now. */
  record(): HostRecord | undefined {
    return readRecords(this.host, this.#configDirectory).find(({ name }) => name === this.name);
  }

  screen(): Promise<string> {
    return this.terminal.screen();
  }

  press(...keys: string[]): Promise<void> {
    return this.terminal.press(...keys);
  }

  /** Types a prompt and enters it, as a person does; settles when the model has it. */
  async type(text: string): Promise<void> {
    const seen = this.turns().length;
    await this.terminal.write(text);
    // Entered while the text is still arriving, Enter is taken for a line break of it.
    const tail = text.slice(-12);
    await waitFor(async () => /\[Pasted text/.test(await this.screen()) || (await this.screen()).includes(tail), {
      what: `the typed text on the screen of ${this.name}`,
      otherwise: () => this.screen(),
    });
    await this.press("Enter");
    await waitFor(
      () =>
        this.turns()
          .slice(seen)
          .some(({ texts }) => texts.some((heard) => heard.includes(tail))),
      {
        what: `the model of ${this.name} to hear "${text}"`,
        otherwise: () => this.screen(),
      },
    );
  }

  /** Has the model call a tool, and returns what the tool gave back to the model. */
  async callTool(tool: string, input: object, deadlineMs = 15_000): Promise<string> {
    const mark = `order-${++orders}`;
    await this.type(`CALL ${tool} ${JSON.stringify(input)} END ${mark}`);
    const call = this.turns().find(({ texts }) => texts.some((text) => text.includes(mark)))?.answer;
    if (call?.type !== "tool_use") throw new Error(`the model of ${this.name} did not call ${tool}`);
    return waitFor(
      () =>
        this.turns()
          .flatMap(({ results }) => results)
          .find(({ id }) => id === call.id)?.text,
      {
        what: `the result of ${tool} in ${this.name}`,
        deadlineMs,
        otherwise: () => this.screen(),
      },
    );
  }

  turns(): ModelTurn[] {
    return modelTurns(this.host, this.name);
  }

  /** Every text that the model was told, oldest first: prompts, peers' messages, notices; not the results of tools. */
  heard(): string[] {
    return this.turns().flatMap(({ texts }) => texts);
  }

  /**
   * Waits until the model has been told a text that matches, and returns it. With `since`, a number of texts heard before, the
   * ones before do not count.
   */
  waitHeard(wanted: RegExp | ((text: string) => boolean), { since = 0, deadlineMs = 10_000 } = {}): Promise<string> {
    const matches = typeof wanted === "function" ? wanted : (text: string) => wanted.test(text);
    return waitFor(() => this.heard().slice(since).find(matches), {
      what: `${wanted} in what ${this.name} heard`,
      deadlineMs,
      otherwise: async () => `${this.heard().slice(since).join("\n---\n")}\nscreen:\n${await this.screen()}`,
    });
  }

  /** Waits until the screen matches, and returns it. */
  waitScreen(wanted: RegExp, deadlineMs = 10_000): Promise<string> {
    const matching = async () => {
      const shown = await this.screen();
      return wanted.test(shown) && shown;
    };
    return waitFor(matching, { what: `${wanted} on the screen of ${this.name}`, deadlineMs, otherwise: () => this.screen() });
  }

  /** Ends it as its person would, by closing the terminal's session; settles when its process is gone. */
  async close(): Promise<void> {
    const pid = this.record()?.pid;
    await this.terminal.close();
    await this.#isGone(pid);
  }

  /** kill -9: its record, key and socket stay behind. */
  async kill9(): Promise<void> {
    const pid = this.record()?.pid;
    if (pid === undefined) throw new Error(`${this.name} has no record`);
    await this.host.kill(pid, "SIGKILL");
    await this.#isGone(pid);
  }

  async #isGone(pid: number | undefined): Promise<void> {
    await waitFor(() => pid === undefined || !this.host.isRunning(pid), { what: `${this.name} to be gone` });
  }
}

/** What keeps Claude Code to the stand-in model of a session of that name. */
export function claudeEnvironment(name: string): Readonly<Record<string, string>> {
  return {
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ANTHROPIC_BASE_URL: modelUrl(name),
    ANTHROPIC_API_KEY: standInKey,
  };
}

/** Starts a session and waits until it is in the registry with its socket, and takes prompts. */
export async function startSession(network: Network, host: Host, options: SessionOptions): Promise<ClaudeSession> {
  const { name, version, args = [], configDir, env = {} } = options;
  const executable = network.share(await fetchClaude(version), `claude/${version}/claude`);
  await ensureModel(network, host);
  const cwd = `${host.home}/projects/${name}`;
  host.putFile(`${cwd}/README.md`, "a project\n");
  prepareClaudeHome(host, cwd, configDir);
  const terminal = await Terminal.open(host, {
    name,
    cwd,
    command: [executable, "--name", name, ...args],
    env: {
      ...claudeEnvironment(name),
      ...(configDir === undefined ? {} : { CLAUDE_CONFIG_DIR: configDir }),
      ...env,
    },
  });
  const session = new ClaudeSession(host, name, terminal, configDir ?? `${host.home}/.claude`);
  await waitUntilReady(session);
  return session;
}

async function waitUntilReady(session: ClaudeSession): Promise<void> {
  const isReady = async () => {
    if ((await session.screen()).includes("Yes, I trust this folder")) await session.press("Enter");
    const socket = session.record()?.messagingSocketPath;
    return socket !== undefined && session.host.exists(socket);
  };
  await waitFor(isReady, { what: `${session.name} to register`, deadlineMs: 20_000, pollMs: 50, otherwise: () => session.screen() });
  await session.waitScreen(/[❯>]/);
}
