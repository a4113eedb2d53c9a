import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { type Paths, resolvePaths } from "../../../src/core/paths.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

export interface HookResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

const PROGRAM = path.join(import.meta.dirname, "fixtures", "hooked-session.ts");

function freshEnvironment(test: TestContext): NodeJS.ProcessEnv {
  const home = temporaryDirectory(test);
  const runtime = path.join(home, "run");
  fs.mkdirSync(runtime, { mode: 0o700 });
  const { PATH, CCM_TEST_MARK, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME: home, XDG_RUNTIME_DIR: runtime, CCM_TEST_MARK, NODE_COMPILE_CACHE };
}

/** A home whose sessions run hooks; a throwaway one unless it is given. */
export class HookHome {
  readonly environment: NodeJS.ProcessEnv;
  readonly paths: Paths;
  readonly #test: TestContext;

  constructor(test: TestContext, environment: NodeJS.ProcessEnv = freshEnvironment(test)) {
    this.environment = environment;
    this.paths = resolvePaths(this.environment);
    this.#test = test;
  }

  /** Every event of the trail, without its time. */
  events(): Record<string, unknown>[] {
    const text = fs.existsSync(this.paths.auditFile) ? fs.readFileSync(this.paths.auditFile, "utf8") : "";
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map(({ ts: _ts, ...event }) => event);
  }

  async session(sessionId: string, record: Readonly<Record<string, unknown>> = {}): Promise<HookedSession> {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ name: sessionId, sessionId, ...record })], { env: this.environment });
    const session = new HookedSession(child, sessionId);
    this.#test.after(() => session.leave());
    await session.start();
    return session;
  }
}

export class HookedSession {
  pid = 0;
  address = "";
  readonly sessionId: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcessWithoutNullStreams, sessionId: string) {
    this.#child = child;
    this.sessionId = sessionId;
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    child.stderr.pipe(process.stderr, { end: false });
  }

  async start(): Promise<void> {
    const { pid, address } = await this.#next("pid");
    this.pid = Number(pid);
    this.address = String(address);
  }

  /** Runs the hook of an event with these fields of its input beside those that all have. */
  hook(event: string, fields: object = {}, env: NodeJS.ProcessEnv = {}, options: readonly string[] = []): Promise<HookResult> {
    const input = JSON.stringify({ session_id: this.sessionId, cwd: "/srv", hook_event_name: event, ...fields });
    return this.run(["hook", event, ...options], input, env);
  }

  /** Runs `ccm` as the session's child. */
  async run(words: readonly string[], input = "", env: NodeJS.ProcessEnv = {}): Promise<HookResult> {
    this.#child.stdin.write(`${JSON.stringify({ words, input, env })}\n`);
    return (await this.#next("done"))["done"] as HookResult;
  }

  /** Ends it without any hook. */
  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin.end();
    await exited;
  }

  async #next(key: string): Promise<Record<string, unknown>> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the session ended before it said "${key}"`);
      const line = JSON.parse(value) as Record<string, unknown>;
      if (key in line) return line;
    }
  }
}
