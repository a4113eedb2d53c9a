import { execFile } from "node:child_process";
import { systemErrorCode } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { type Finding, ok, trouble } from "./finding.ts";

const VERSION_DEADLINE_MS = 5_000;

interface Program {
  readonly check: string;
  readonly command: string;
  readonly versionOption: string;
  readonly absence: string;
  readonly fix: string;
}

const ssh: Program = {
  check: "ssh_client",
  command: "ssh",
  versionOption: "-V",
  absence: "there is no ssh on PATH: ccm reads ~/.ssh/config itself, without certificates, security keys and a few other settings",
  fix: "install OpenSSH's client if ccm refuses what your configuration asks for",
};
const claude: Program = {
  check: "claude_code",
  command: "claude",
  versionOption: "--version",
  absence: "there is no claude on PATH: this machine has members only if sessions start some other way",
  fix: "install Claude Code, or put it on PATH",
};

/** The programs of others that we lean on. */
export async function checkPrograms(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  return await Promise.all([ssh, claude].map((program) => checkProgram(program, environment)));
}

async function checkProgram({ check, command, versionOption, absence, fix }: Program, environment: NodeJS.ProcessEnv): Promise<Finding> {
  try {
    return ok(check, plainLine(await readVersion(command, versionOption, environment), 100));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return trouble("warn", check, absence, { fix });
    const reason = isKilled(error) ? `did not answer within ${VERSION_DEADLINE_MS / 1000} s` : "failed";
    return trouble("warn", check, `${command} ${versionOption} ${reason}`, { fix: `see what \`${command} ${versionOption}\` says` });
  }
}

/** What it prints; OpenSSH says its version on stderr. Runs in the root directory, for ours may be gone. Rejects as execFile fails. */
function readVersion(command: string, versionOption: string, environment: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: environment, cwd: "/", timeout: VERSION_DEADLINE_MS, killSignal: "SIGKILL" } as const;
    const child = execFile(command, [versionOption], options, (error, stdout, stderr) => {
      if (error) reject(error);
      else resolve(stdout || stderr);
    });
    child.stdin?.end();
  });
}

function isKilled(error: unknown): boolean {
  return error instanceof Error && "killed" in error && error.killed === true;
}
