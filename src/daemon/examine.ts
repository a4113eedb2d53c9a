import { execFile } from "node:child_process";
import { CcmError, toCcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { detachedEnvironment, selfCommand } from "../core/self-command.ts";
import type { Peer } from "../link/peer.ts";
import type { ExaminedMachine } from "./control-protocol.ts";

/** `ccm doctor` starts other programs, each with a deadline of its own. */
const DOCTOR_MS = 20_000;
/** Beyond that, for the way there and back. */
const ANSWER_MS = DOCTOR_MS + 5_000;
/** Fits a line of the link. */
const MAX_BYTES = 1024 * 1024;

/** What `ccm doctor` of this machine finds, for the machines that it is linked with. */
export class Examination {
  readonly #environment: NodeJS.ProcessEnv;
  #running: Promise<unknown> | undefined;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** Those who ask meanwhile get the same answer. Rejects with `timeout`, or with `check_failed` if it said nothing. */
  findings(): Promise<unknown> {
    this.#running ??= runDoctor(this.#environment).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}

/** A process of its own: the checks load what the daemon does not need, and may block. */
async function runDoctor(environment: NodeJS.ProcessEnv): Promise<unknown> {
  const { file, args } = selfCommand(["doctor", "--json"]);
  const options = {
    env: detachedEnvironment(environment),
    cwd: "/",
    timeout: DOCTOR_MS,
    maxBuffer: MAX_BYTES,
    killSignal: "SIGKILL",
  } as const;
  const { promise, resolve } = Promise.withResolvers<string>();
  // Its exit code says what it found.
  execFile(file, [...args], options, (_failure, stdout) => resolve(stdout));
  const text = await promise;
  try {
    return (JSON.parse(text) as { findings: unknown }).findings;
  } catch (cause) {
    throw new CcmError("check_failed", "ccm doctor said nothing there, or took too long", { cause });
  }
}

/** The same from every linked machine at once; one that does not answer says so. */
export async function examineEverywhere(peers: readonly Peer[]): Promise<ExaminedMachine[]> {
  return Promise.all(
    peers.map(async (peer): Promise<ExaminedMachine> => {
      try {
        return { machine: peer.label, findings: await peer.ask({ kind: "doctor" }, ANSWER_MS) };
      } catch (error) {
        const { code, message } = toCcmError(error);
        return { machine: peer.label, problem: { code, message: plainLine(message) } };
      }
    }),
  );
}
