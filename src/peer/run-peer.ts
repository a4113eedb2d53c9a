import type * as z from "zod";
import { MAX_LINE_CHARACTERS } from "../claude/frames.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { LineReader } from "../core/line-reader.ts";
import { plainLine } from "../core/plain-text.ts";
import { carryOut } from "./commands.ts";
import { PeerProgram, type PeerProgramOptions } from "./peer-program.ts";
import { type PeerCommand, peerInput } from "./schema/input.ts";
import type { PeerEvent } from "./schema/output.ts";

/** A text of the longest message, in UTF-8 and with every character escaped, and what is around it. */
const MAX_COMMAND_BYTES = 6 * MAX_LINE_CHARACTERS + 65_536;
/** What was begun before the end of the input may take this long. */
const LAST_COMMANDS_MS = 5_000;
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export type RunPeerOptions = Omit<PeerProgramOptions, "emit">;

/**
 * `ccm peer`: commands on stdin, events on stdout, one JSON object a line. Settles when it has left the registry, after the end of its
 * input, a `close`, a signal or the end of whoever reads. Rejects with what keeps its first name from being listed.
 */
export async function runPeer(options: RunPeerOptions): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  for (const signal of STOP_SIGNALS) process.on(signal, end);
  process.stdout.on("error", end);
  const program = new PeerProgram({ ...options, emit: writeEvent });
  const commands = new CommandLines(program, end);
  try {
    await Promise.race([program.start(), ended.promise]);
    readCommands(commands, end);
    await ended.promise;
    await commands.finish();
  } finally {
    await program.close();
    process.stdin.destroy();
    for (const signal of STOP_SIGNALS) process.off(signal, end);
  }
}

/** Settles when the reader has it, or there is none any more. */
function writeEvent(event: PeerEvent): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(event)}\n`, () => resolve());
  });
}

function readCommands(commands: CommandLines, end: () => void): void {
  const lines = new LineReader({
    maxBytes: MAX_COMMAND_BYTES,
    onLine: (line) => commands.take(line),
    onOverflow: (maxBytes) => commands.refuse(null, new CcmError("too_large", `a command of more than ${maxBytes} bytes`)),
  });
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk));
  process.stdin.on("end", () => lines.end());
  process.stdin.on("error", end);
  process.stdin.on("close", end);
}

type CommandId = Extract<PeerEvent, { event: "result" }>["id"];

class CommandLines {
  readonly #program: PeerProgram;
  readonly #end: () => void;
  readonly #running = new Set<Promise<void>>();

  constructor(program: PeerProgram, end: () => void) {
    this.#program = program;
    this.#end = end;
  }

  take(line: string): void {
    if (line.trim() === "") return;
    const parsed = parseCommand(line);
    if (parsed.error) return this.refuse(parsed.id, parsed.error);
    if (parsed.command.op === "close") return this.#end();
    const running = this.#run(parsed.command).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  refuse(id: CommandId, { code, message, hint }: CcmError): void {
    this.#program.tell({ event: "result", id, ok: false, error: { code, message, ...(hint !== undefined && { hint }) } });
  }

  /** What can go out now goes out; what would have to wait for its turn is told that it does not. */
  async finish(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = this.#program.clock.after(LAST_COMMANDS_MS, late.resolve);
    // One turn, for what came with the end of the input.
    await new Promise(setImmediate);
    this.#program.outgoing.close();
    await Promise.race([Promise.allSettled(this.#running), late.promise]);
    cancel();
  }

  async #run(command: Exclude<PeerCommand, { op: "close" }>): Promise<void> {
    const id = command.id ?? null;
    try {
      this.#program.tell({ event: "result", id, ok: true, ...(await carryOut(this.#program, command)) });
    } catch (error) {
      this.refuse(id, toCcmError(error));
    }
  }
}

type Parsed =
  | { readonly command: PeerCommand; readonly error?: undefined }
  | { readonly command?: undefined; readonly id: CommandId; readonly error: CcmError };

function parseCommand(line: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { id: null, error: usage(`a line that is not JSON: ${plainLine(line, 80)}`) };
  }
  const { success, data, error } = peerInput.safeParse(value);
  if (success) return { command: data };
  const id = (value as { id?: unknown } | null)?.id;
  return { id: typeof id === "string" || typeof id === "number" ? id : null, error: usage(describeIssues(error)) };
}

function describeIssues(error: z.ZodError): string {
  return plainLine(
    error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; "),
    300,
  );
}

function usage(message: string): CcmError {
  return new CcmError("usage", message, { hint: "see ccm schema peer-input" });
}
