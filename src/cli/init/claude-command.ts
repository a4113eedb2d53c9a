import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";

/** Without a network it takes half a second. */
const DEADLINE_MS = 60_000;

/** Claude Code's command on PATH, if there is one. */
export function findClaude(environment: NodeJS.ProcessEnv): string | undefined {
  const directories = (environment.PATH ?? "").split(path.delimiter).filter((directory) => path.isAbsolute(directory));
  return directories.map((directory) => path.join(directory, "claude")).find(isExecutable);
}

/** Runs it to its end. Rejects with `claude_failed` and the last thing that it said. */
export function runClaude(claude: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const options = { env: environment, cwd: "/", timeout: DEADLINE_MS, killSignal: "SIGKILL" } as const;
  const child = execFile(claude, [...args], options, (error, stdout, stderr) => {
    if (!error) return resolve();
    const said = plainLine(`${stdout}\n${stderr}`.trim().split("\n").at(-1) ?? "", 200);
    reject(
      new CcmError("claude_failed", `claude ${args.join(" ")} failed${said === "" ? "" : `: ${said}`}`, {
        hint: "run it yourself to see more; `ccm init --hooks=settings` does without the plugin",
        cause: error,
      }),
    );
  });
  child.stdin?.end();
  return promise;
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
