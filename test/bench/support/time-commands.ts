import { spawn, spawnSync } from "node:child_process";

const DEADLINE_MS = 30_000;

/** Runs the commands in turns, each to its end. Returns each one's times in ms; throws if one fails. */
export function timeCommands(commands: readonly (readonly string[])[], rounds: number, env: NodeJS.ProcessEnv): number[][] {
  const times: number[][] = commands.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, command] of commands.entries()) times[index]?.push(timeOne(command, env));
  }
  return times;
}

function timeOne([file = "", ...args]: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedMs = performance.now();
  const { status, error, stderr } = spawnSync(file, args, { env, timeout: DEADLINE_MS });
  const elapsedMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`${[file, ...args].join(" ")} ended with ${status}: ${error?.message ?? stderr}`);
  return elapsedMs;
}

/** Starts `count` of a command at once; the time in ms until each has written something. They are ended, and gone, when it settles. */
export async function timeStarts([file = "", ...args]: readonly string[], count: number, env: NodeJS.ProcessEnv): Promise<number> {
  const startedMs = performance.now();
  const children = Array.from({ length: count }, () => spawn(file, args, { env, stdio: ["pipe", "pipe", "ignore"] }));
  const ended = children.map((child) => new Promise((resolve) => child.once("close", resolve)));
  try {
    await Promise.all(
      children.map(
        (child) =>
          new Promise((resolve, reject) => {
            child.once("error", reject).stdout.once("data", resolve);
            child.once("close", (code) => reject(new Error(`${file} ended with ${code} before it was ready`)));
          }),
      ),
    );
    return performance.now() - startedMs;
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(ended);
  }
}
