import { CcmError } from "../core/errors.ts";
import type { SshTarget } from "./ssh-target.ts";

export type TransportName = "ssh2";

/** Which transport reaches this target. Throws `ssh_config_unsupported`, naming the setting, where none of them can honour it. */
export function chooseTransport(target: SshTarget): TransportName {
  const setting = beyondSsh2(target);
  if (setting === undefined) return "ssh2";
  throw new CcmError("ssh_config_unsupported", `the ssh configuration of ${target.alias} asks for ${setting}, which ccm cannot do`, {
    hint: "pair with a host that is reached directly, or set an own Host entry for it in ~/.ssh/config",
  });
}

/** The first setting that would make ssh2 take another route, show another key or trust another host than the system's ssh. */
function beyondSsh2(target: SshTarget): string | undefined {
  if (target.proxyCommand !== undefined) return `ProxyCommand ${target.proxyCommand}`;
  if (target.proxyJump !== undefined) return `ProxyJump ${target.proxyJump}`;
  for (const [keyword, name] of BEYOND_SSH2) {
    const value = target.otherSettings.get(keyword);
    if (value !== undefined) return `${name} ${value}`;
  }
  if (/^(no|false)$/.test(target.otherSettings.get("pubkeyauthentication") ?? "")) return "PubkeyAuthentication no";
  return undefined;
}

const BEYOND_SSH2 = [
  ["certificatefile", "CertificateFile"],
  ["knownhostscommand", "KnownHostsCommand"],
  ["pkcs11provider", "PKCS11Provider"],
  ["revokedhostkeys", "RevokedHostKeys"],
] as const;
