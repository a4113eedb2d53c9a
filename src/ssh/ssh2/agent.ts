import ssh2, { BaseAgent, createAgent, type IdentityCallback, type ParsedKey, type SignCallback, type SigningRequestOptions } from "ssh2";
import type { SshTarget } from "../ssh-target.ts";

/** What the agent said when it was asked for its keys. */
export type AgentKeys =
  | { readonly state: "answered"; readonly socket: string; readonly keys: readonly AgentKey[] }
  | { readonly state: "failed"; readonly socket: string; readonly reason: string }
  | { readonly state: "none" };

export interface AgentKey {
  readonly publicKey: Buffer;
  /** An agent that holds this key alone, so that each key can be offered by itself and in our order. */
  readonly agent: BaseAgent;
  /** The agent was asked for a signature with it and has not answered: it may wait for a person. */
  readonly isSigning: () => boolean;
}

/** Never rejects. Settles when the agent answers or hangs up: the caller has the deadline. */
export function readAgentKeys(target: SshTarget, env: NodeJS.ProcessEnv): Promise<AgentKeys> {
  const socket = target.identityAgent ?? env.SSH_AUTH_SOCK;
  if (!socket || socket === "none") return Promise.resolve({ state: "none" });
  const agent = createAgent(socket);
  return new Promise((resolve) => {
    agent.getIdentities((error, keys) => {
      if (error) resolve({ state: "failed", socket, reason: error.message });
      else resolve({ state: "answered", socket, keys: (keys ?? []).flatMap((key) => oneKey(agent, key)) });
    });
  });
}

function oneKey(agent: BaseAgent, listed: Parameters<typeof ssh2.utils.parseKey>[0] | object): AgentKey[] {
  const key = ssh2.utils.parseKey(listed as Buffer);
  if (key instanceof Error) return [];
  const alone = new OneKeyAgent(agent, key);
  return [{ publicKey: key.getPublicSSH(), agent: alone, isSigning: () => alone.isSigning }];
}

class OneKeyAgent extends BaseAgent<ParsedKey> {
  readonly #agent: BaseAgent;
  readonly #key: ParsedKey;
  isSigning = false;

  constructor(agent: BaseAgent, key: ParsedKey) {
    super();
    this.#agent = agent;
    this.#key = key;
  }

  override getIdentities(callback: IdentityCallback<ParsedKey>): void {
    callback(undefined, [this.#key]);
  }

  override sign(key: ParsedKey, data: Buffer, options: SigningRequestOptions | SignCallback, callback?: SignCallback): void {
    const tell = typeof options === "function" ? options : callback;
    this.isSigning = true;
    this.#agent.sign(key, data, typeof options === "function" ? {} : options, (error, signature) => {
      this.isSigning = false;
      tell?.(error, signature);
    });
  }
}
