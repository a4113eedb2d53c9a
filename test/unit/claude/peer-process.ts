import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import type { TestContext } from "node:test";
import type { Frame } from "../../../src/claude/frames.ts";
import type { PeerIdentity } from "../../../src/claude/peer-files.ts";
import type { Sandbox } from "./sandbox.ts";

export interface PeerProcess {
  readonly identity: PeerIdentity;
  readonly frames: readonly Frame[];
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** A session in a process of its own, as far as others can tell; gone at the end of the test. */
export async function startPeerProcess(t: TestContext, sandbox: Sandbox, name: string): Promise<PeerProcess> {
  const program = path.join(import.meta.dirname, "fixtures", "peer-process.ts");
  const child = spawn(process.execPath, [program, name], { env: { ...process.env, ...sandbox.env }, stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  t.after(() => {
    child.stdin.end();
    return exited;
  });
  const ready = Promise.withResolvers<PeerIdentity>();
  const frames: Frame[] = [];
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.pid !== undefined) ready.resolve(message);
    else if (message.frame !== undefined) frames.push(message.frame);
  });
  exited.then(() => ready.reject(new Error(`${name} ended before it was ready`)));
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return { identity: await ready.promise, frames, kill };
}
