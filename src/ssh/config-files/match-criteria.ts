import { execFile } from "node:child_process";
import { CcmError } from "../../core/errors.ts";
import { matchesHosts } from "../known-hosts/match-hosts.ts";
import type { Directive } from "./read-config-files.ts";

/** What is known of the target while the files are read; it grows as they say more. */
export interface MatchContext {
  readonly alias: string;
  readonly isFinalPass: boolean;
  host(): string;
  user(): string;
  readonly localUser: string;
  /** Puts the tokens of the configuration in. */
  expand(text: string): string;
  /** Asks for a second reading, in which `final` holds. */
  wantFinalPass(): void;
  readonly env: NodeJS.ProcessEnv;
}

const EXEC_TIMEOUT_MS = 10_000;

/** Whether all criteria of a Match hold. Rejects with `ssh_config_unsupported` for one that is not understood: it may not be guessed. */
export async function matchesCriteria({ words, file }: Directive, context: MatchContext): Promise<boolean> {
  for (let index = 0; index < words.length; index++) {
    const negated = words[index]?.startsWith("!") ?? false;
    const criterion = (words[index] ?? "").slice(negated ? 1 : 0).toLowerCase();
    const takesValue = !/^(all|canonical|final)$/.test(criterion);
    const value = takesValue ? (words[++index] ?? "") : "";
    const holds = await matchesOne(criterion, value, context, file);
    if (holds === negated) return false;
  }
  return true;
}

async function matchesOne(criterion: string, value: string, context: MatchContext, file: string): Promise<boolean> {
  switch (criterion) {
    case "all":
      return true;
    case "canonical":
      return false;
    case "final":
      context.wantFinalPass();
      return context.isFinalPass;
    case "host":
      return matchesHosts(value, context.host().toLowerCase());
    case "originalhost":
      return matchesHosts(value, context.alias.toLowerCase());
    case "user":
      return matchesHosts(value, context.user().toLowerCase());
    case "localuser":
      return matchesHosts(value, context.localUser.toLowerCase());
    case "exec":
      return await succeeds(context.expand(value), context.env);
    default:
      throw new CcmError("ssh_config_unsupported", `ccm does not understand "Match ${criterion}" in ${file}`, {
        hint: "install OpenSSH's client: ccm then has ssh read its configuration",
      });
  }
}

function succeeds(command: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(env.SHELL || "/bin/sh", ["-c", command], { env, timeout: EXEC_TIMEOUT_MS }, (error) => resolve(!error)).stdin?.end();
  });
}
