import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware, NextAuthHandler } from "ssh2";
import { describeKey } from "../known-hosts/verify-host-key.ts";
import type { SshTarget } from "../ssh-target.ts";
import { type AgentKeys, readAgentKeys } from "./agent.ts";
import { type Identity, readIdentityFile } from "./identity-file.ts";

/** What was tried to get in, for the message when nothing worked. */
export interface AuthenticationLog {
  readonly offered: string[];
  identities: readonly Identity[];
  agent: AgentKeys;
  /** What the server would still take. */
  methodsLeft: readonly string[];
  exhausted: boolean;
  /** The key for whose signature the agent is being waited for. */
  signing(): string | undefined;
}

interface Offer {
  readonly description: string;
  readonly method: AnyAuthMethod;
}

/**
 * ssh2's handler that offers keys in the order of OpenSSH: those of the agent that the configuration names, the agent's others unless
 * IdentitiesOnly, then key files. Never a password, never a question. Keys are looked at only when the host key has been accepted.
 */
export function authentication(target: SshTarget, env: NodeJS.ProcessEnv): { handler: AuthHandlerMiddleware; log: AuthenticationLog } {
  const log: AuthenticationLog = {
    offered: [],
    identities: [],
    agent: { state: "none" },
    methodsLeft: [],
    exhausted: false,
    signing: () => {
      const key = log.agent.state === "answered" ? log.agent.keys.find(({ isSigning }) => isSigning()) : undefined;
      return key && describeKey(key.publicKey);
    },
  };
  let offers: Offer[] | undefined;
  const advance = async (next: NextAuthHandler): Promise<void> => {
    offers ??= await collectOffers(target, env, log);
    const offer = log.methodsLeft.includes("publickey") ? offers.shift() : undefined;
    if (offer) log.offered.push(offer.description);
    else log.exhausted = true;
    // ssh2 takes `false` for "no more"; its types do not say so.
    next(offer ? offer.method : (false as unknown as AuthenticationType));
  };
  const handler: AuthHandlerMiddleware = (methodsLeft: readonly string[] | null, _partialSuccess, next) => {
    // The first question costs no attempt, tells what the server takes, and is enough where the network already vouches for us.
    if (methodsLeft === null) return next({ type: "none", username: target.user });
    log.methodsLeft = methodsLeft;
    void advance(next);
  };
  return { handler, log };
}

async function collectOffers(target: SshTarget, env: NodeJS.ProcessEnv, log: AuthenticationLog): Promise<Offer[]> {
  log.identities = target.identityFiles.map(readIdentityFile);
  log.agent = await readAgentKeys(target, env);
  const agentKeys = log.agent.state === "answered" ? log.agent.keys : [];
  const named = log.identities.flatMap((identity) => agentKeys.filter((key) => hasKey(identity, key.publicKey)));
  const others = target.identitiesOnly ? [] : agentKeys.filter((key) => !named.includes(key));
  const inAgent = [...named, ...others];
  const fromAgent = inAgent.map(({ publicKey, agent }): Offer => {
    return { description: `${describeKey(publicKey)} (agent)`, method: { type: "agent", username: target.user, agent } };
  });
  const fromFiles = log.identities.flatMap((identity): Offer[] => {
    if (identity.state !== "usable" || inAgent.some((key) => hasKey(identity, key.publicKey))) return [];
    const method: AnyAuthMethod = { type: "publickey", username: target.user, key: identity.key };
    return [{ description: `${describeKey(identity.publicKey)} (${identity.file})`, method }];
  });
  return [...fromAgent, ...fromFiles];
}

function hasKey(identity: Identity, publicKey: Buffer): boolean {
  return "publicKey" in identity && identity.publicKey?.equals(publicKey) === true;
}
