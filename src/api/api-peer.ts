import type { Frame } from "../claude/frames.ts";
import { openPeer, type Peer } from "../claude/peer.ts";
import { removePeerFiles } from "../claude/peer-files.ts";
import { readRegistry } from "../claude/registry.ts";
import { CcmError } from "../core/errors.ts";
import type { Paths } from "../core/paths.ts";

/** In the record of every such peer. */
const API_AGENT = "claude-code-message-api";

/** What the API is in the chat: one name, to which sessions write and in which it writes to them. */
export type ApiPeer = Pick<Peer, "address" | "pid" | "deliver" | "idle" | "close" | "closeSync"> & { readonly name: string };

export interface ApiPeerOptions {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  readonly name: string;
  readonly onFrame: (frame: Frame) => void;
  readonly onProblem: (message: string) => void;
}

/**
 * Enters the registry, after what killed predecessors left there has been removed. Rejects with `ambiguous_name` if a session here
 * has that name, and as `openPeer` does.
 */
export async function openApiPeer({ paths, environment, name, onFrame, onProblem }: ApiPeerOptions): Promise<ApiPeer> {
  removeDead(paths.claudeConfig);
  const isTaken = readRegistry(paths.claudeConfig).some(({ record, unreachable }) => record?.name === name && !unreachable);
  if (isTaken)
    throw new CcmError("ambiguous_name", `api: a session here is called ${name} already`, { hint: "take another name: --name NAME" });
  const record = { name, cwd: process.cwd(), agent: API_AGENT, detail: "programs that use the API of ccm" };
  const peer = await openPeer({ claudeConfig: paths.claudeConfig, env: environment, record, onFrame, onProblem });
  return { ...peer, name };
}

/** One that was killed could not take its record, key and socket along. */
function removeDead(claudeConfig: string): void {
  for (const { pid, record, unreachable } of readRegistry(claudeConfig)) {
    const isGone = unreachable?.reason === "process_gone" || unreachable?.reason === "process_replaced";
    if (record?.agent !== API_AGENT || !isGone || record.procStart === undefined || record.messagingSocketPath === undefined) continue;
    removePeerFiles(claudeConfig, { pid, procStart: record.procStart, socketPath: record.messagingSocketPath });
  }
}
