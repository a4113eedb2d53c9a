import { CcmError } from "../core/errors.ts";
import { beyondSsh2 } from "./beyond-ssh2.ts";
import type { SshTarget } from "./ssh-target.ts";
import type { TransportName } from "./transport.ts";

export interface TransportChoice {
  readonly name: TransportName;
  /** Why this one, for a person: the end of a sentence that begins with "because". */
  readonly reason: string;
}

export interface ChooseOptions {
  /** What the person asked for. */
  readonly wish?: TransportName | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Which transport reaches this target: ssh2, unless the configuration asks for more than it can do and there is an `ssh` command.
 * Rejects with `ssh_config_unsupported`, naming the setting, where none can honour it, and `known_hosts_unreadable`.
 */
export async function chooseTransport(target: SshTarget, { wish, env = process.env }: ChooseOptions = {}): Promise<TransportChoice> {
  if (wish === "ssh") {
    if (target.resolvedBy === "ssh") return { name: "ssh", reason: "it is set for this peer" };
    throw new CcmError("ssh_config_unsupported", "there is no ssh command here to be the transport", {
      hint: "install OpenSSH's client, or pair again with --transport ssh2",
    });
  }
  const setting = await beyondSsh2(target, env);
  if (setting === undefined)
    return { name: "ssh2", reason: wish === "ssh2" ? "it is set for this peer" : "it can do all that is configured" };
  if (wish === undefined && target.resolvedBy === "ssh") return { name: "ssh", reason: `of ${setting}` };
  const hint = wish === "ssh2" ? "pair again without --transport ssh2" : "install OpenSSH's client: ccm then uses its ssh";
  throw new CcmError("ssh_config_unsupported", `reaching ${target.alias} takes ${setting}, which ssh2 cannot do`, { hint });
}
