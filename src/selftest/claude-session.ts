import path from "node:path";
import { type PeerIdentity, recordFilePath } from "../claude/peer-files.ts";
import { type RegistryEntry, readRegistry } from "../claude/registry.ts";
import type { SessionRecord } from "../claude/session-record.ts";
import type { ModelTurn } from "./model-turn.ts";
import { Unchecked } from "./outcome.ts";
import type { SelftestHome } from "./selftest-home.ts";
import type { StandInModel } from "./stand-in-model.ts";
import type { Terminal } from "./terminal.ts";
import { until } from "./until.ts";

/** Enter that comes while typed text still arrives is taken for a line break of it: then it is pressed again. */
const ENTER_AGAIN_MS = 1_500;
const ENTER_TRIES = 6;

export interface SessionParts {
  readonly name: string;
  readonly home: SelftestHome;
  readonly model: StandInModel;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

let orders = 0;

/** An interactive session of Claude Code whose model is the stand-in. */
export class ClaudeSession {
  readonly name: string;
  readonly terminal: Terminal;
  readonly #parts: SessionParts;
  #started: PeerIdentity | undefined;

  constructor(parts: SessionParts) {
    this.name = parts.name;
    this.terminal = parts.terminal;
    this.#parts = parts;
  }

  /** Where it was when it came up. */
  get started(): PeerIdentity {
    if (this.#started === undefined) throw new Unchecked(`the session ${this.name} has not come up`);
    return this.#started;
  }

  get recordFile(): string {
    return recordFilePath(this.#parts.home.claudeConfig, this.started.pid);
  }

  /** To be called when it is up. */
  noteStart(): void {
    this.#started = this.target;
  }

  /** Its place in the registry as it is now; undefined once it is not there. By its working directory: a name may come later. */
  entry(): RegistryEntry | undefined {
    return readRegistry(this.#parts.home.claudeConfig).find(({ record }) => path.basename(record?.cwd ?? "") === this.name);
  }

  /** Rejects what comes after its end with {@link Unchecked}. */
  get record(): SessionRecord {
    const record = this.entry()?.record;
    if (record === undefined) throw new Unchecked(`the session ${this.name} is not in the registry any more`);
    return record;
  }

  get target(): PeerIdentity {
    const { pid, procStart, messagingSocketPath } = this.record;
    if (procStart === undefined || messagingSocketPath === undefined)
      throw new Unchecked(`the record of ${this.name} does not say where it is`);
    return { pid, procStart, socketPath: messagingSocketPath };
  }

  turns(): readonly ModelTurn[] {
    return this.#parts.model.turns(this.name);
  }

  /** Every text that its model was told, oldest first: prompts, peers' messages, notices; not the results of tools. */
  heard(): string[] {
    return this.turns().flatMap(({ texts }) => texts);
  }

  /** The first text that the model is told and that has `part` in it. With `since`, those heard before do not count. */
  waitHeard(part: string | RegExp, { since = 0, deadlineMs }: { since?: number; deadlineMs?: number } = {}): Promise<string> {
    const isIt = (text: string) => (typeof part === "string" ? text.includes(part) : part.test(text));
    return until(() => this.heard().slice(since).find(isIt), {
      what: `the model to be told ${part}`,
      signal: this.#parts.signal,
      ...(deadlineMs !== undefined && { deadlineMs }),
    });
  }

  /** Waits until the words have been written to its terminal after `since`. */
  waitShown(words: RegExp, since: number): Promise<boolean> {
    return until(() => words.test(this.terminal.shown(since)), { what: `its screen to show ${words.source}`, signal: this.#parts.signal });
  }

  /** Enters a prompt that ends with `mark`, as a person does; settles when the model has it. */
  async type(text: string, mark: string): Promise<void> {
    const since = this.terminal.position;
    this.terminal.write(text);
    await this.soon(() => /Pasted text/.test(this.terminal.shown(since)) || this.terminal.shown(since).includes(mark));
    for (let tries = 1; tries <= ENTER_TRIES; tries += 1) {
      this.terminal.write("\r");
      if (await this.soon(() => this.heard().some((heard) => heard.includes(mark)))) return;
    }
    throw new Unchecked(`the model of ${this.name} was not told what was typed`);
  }

  /** Whether it comes true within `deadlineMs`. */
  async soon(isSo: () => boolean, deadlineMs = ENTER_AGAIN_MS): Promise<boolean> {
    const { signal } = this.#parts;
    const inVain = new Unchecked("");
    try {
      return await until(isSo, { what: "", signal, deadlineMs, otherwise: () => inVain });
    } catch (error) {
      if (error === inVain) return false;
      throw error;
    }
  }

  /** Has the model call a tool, and returns what the tool gave back to it. */
  async callTool(tool: string, input: object): Promise<string> {
    orders += 1;
    const mark = `order-${orders}-end`;
    await this.type(`CALL ${tool} ${JSON.stringify(input)} END ${mark}`, mark);
    const { answer } = this.turns().find(({ texts }) => texts.some((text) => text.includes(mark))) ?? {};
    if (answer?.type !== "tool_use") throw new Unchecked(`the model of ${this.name} did not call ${tool}`);
    const result = () =>
      this.turns()
        .flatMap(({ results }) => results)
        .find(({ id }) => id === answer.id);
    return (await until(result, { what: `the result of ${tool}`, signal: this.#parts.signal })).text;
  }
}
