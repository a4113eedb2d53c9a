import fs from "node:fs";
import { plainLine } from "../core/plain-text.ts";
import { readAgentKeyTypes } from "./agent-key-types.ts";
import { hostKeyAlgorithms } from "./known-hosts/host-key-algorithms.ts";
import { readKnownHosts } from "./known-hosts/known-hosts.ts";
import type { SshTarget } from "./ssh-target.ts";

const KEY_TYPES_OF_SSH2 = /^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-nistp(256|384|521))$/;

/**
 * The first thing on the way to a target, hops included, that would make ssh2 take another route, show another key or trust another
 * host than the system's ssh; undefined where there is none. Rejects with `known_hosts_unreadable`.
 */
export async function beyondSsh2(target: SshTarget, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (let hop: SshTarget | undefined = target; hop; hop = hop.via) {
    const found = settingBeyond(hop, env) ?? hostKeyBeyond(hop) ?? identityBeyond(hop) ?? (await agentBeyond(hop, env));
    if (found !== undefined) return plainLine(hop === target ? found : `${found} (for ${hop.alias})`, 160);
  }
  return undefined;
}

const SETTINGS = [
  ["bindaddress", "BindAddress"],
  ["bindinterface", "BindInterface"],
  ["certificatefile", "CertificateFile"],
  ["knownhostscommand", "KnownHostsCommand"],
  ["pkcs11provider", "PKCS11Provider"],
  ["revokedhostkeys", "RevokedHostKeys"],
] as const;

function settingBeyond({ otherSettings, proxyCommand }: SshTarget, env: NodeJS.ProcessEnv): string | undefined {
  for (const [keyword, name] of SETTINGS) {
    const value = otherSettings.get(keyword);
    if (value !== undefined) return `${name} ${value}`;
  }
  const isOn = (keyword: string): boolean => /^(yes|true)$/.test(otherSettings.get(keyword) ?? "");
  if (/^(no|false)$/.test(otherSettings.get("pubkeyauthentication") ?? "")) return "PubkeyAuthentication no";
  const preferred = otherSettings.get("preferredauthentications");
  if (preferred !== undefined && !preferred.split(",").includes("publickey")) return `PreferredAuthentications ${preferred}`;
  if (proxyCommand !== undefined && isOn("proxyusefdpass")) return "ProxyUseFdpass yes";
  // Some systems turn it on for everybody; it does something only for who has a ticket.
  if (isOn("gssapiauthentication") && env.KRB5CCNAME) return "GSSAPIAuthentication yes with a Kerberos ticket";
  return undefined;
}

function hostKeyBeyond(target: SshTarget): string | undefined {
  const known = readKnownHosts(target);
  const authority = [...known.lines, ...known.portlessLines].find(({ marker }) => marker === "cert-authority");
  // Without an ssh command a plain key may still do, and where it does not the refusal names this line.
  if (authority && target.resolvedBy === "ssh") return `a host certificate (@cert-authority in ${authority.file}:${authority.line})`;
  if (hostKeyAlgorithms(known, target.hostKeyAlgorithms).length > 0) return undefined;
  return `HostKeyAlgorithms ${target.hostKeyAlgorithms?.join(",")}`;
}

function identityBeyond({ identityFiles }: SshTarget): string | undefined {
  for (const file of identityFiles) {
    if (!fs.existsSync(file)) continue;
    if (fs.existsSync(`${file}-cert.pub`)) return `the certificate ${file}-cert.pub`;
    if (isSecurityKey(file)) return `the security key ${file}`;
  }
  return undefined;
}

/** The public half stands in the clear in a file of OpenSSH's format; a file may also be the public half of what an agent holds. */
function isSecurityKey(file: string): boolean {
  try {
    const text = fs.readFileSync(file, "latin1");
    if (/^sk-/.test(text)) return true;
    const [, encoded = ""] = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(text) ?? [];
    return /sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com/.test(Buffer.from(encoded, "base64").toString("latin1"));
  } catch {
    return false;
  }
}

async function agentBeyond(target: SshTarget, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (target.identitiesOnly) return undefined;
  const types = await readAgentKeyTypes(target.identityAgent ?? env.SSH_AUTH_SOCK);
  const foreign = types.find((type) => !KEY_TYPES_OF_SSH2.test(type));
  return foreign === undefined ? undefined : `the agent's key of type ${foreign}`;
}
