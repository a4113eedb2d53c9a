import { type Frame, isReceipt, isUserFrame, type UserFrame } from "../../claude/frames.ts";
import { readRegistry } from "../../claude/registry.ts";
import type { Paths } from "../../core/paths.ts";
import { stateChanges } from "../../link/message-state.ts";
import type { MessageStates } from "../../link/message-states.ts";
import { type Mirror, openMirror } from "../../mirror/mirror.ts";

/** A place in the registry for as long as a command waits, so that receipts and answers have somewhere to go. */
export interface ShellPeer {
  readonly name: string;
  /** `uds:` and its socket. */
  readonly address: string;
  readonly deliver: Mirror["deliver"];
  /** Settles when it has left, on every machine that is linked soon after. */
  close(): Promise<void>;
}

export interface ShellPeerOptions {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  /** What its name begins with. */
  readonly person: string;
  readonly messageId: string;
  /** Is told of the receipts about that message. */
  readonly states: MessageStates;
  readonly onMessage?: (frame: UserFrame) => void;
}

/**
 * Enters the registry as `<person>-shell`. The process that is listed is one like a mirror's: it ends with the pipe to this one, and takes
 * its record, key and socket along, also when this one is killed. If it dies by itself, `states` fail. Rejects with `socket_directory_unsafe` or `state_unusable`.
 */
export async function openShellPeer(options: ShellPeerOptions): Promise<ShellPeer> {
  const { paths, environment, messageId, states, onMessage } = options;
  const name = freeName(`${options.person}-shell`, paths);
  const mirror = openMirror({
    name,
    record: { cwd: process.cwd(), detail: "a shell that waits for an answer" },
    env: environment,
    claudeConfig: paths.claudeConfig,
    onFrame: async (frame) => take(frame),
    onProblem: () => undefined,
    onExit: ({ kind, error }) => {
      if (kind === "died") states.fail(error);
    },
  });
  const take = (frame: Frame) => {
    if (isUserFrame(frame)) onMessage?.(frame);
    else if (isReceipt(frame)) {
      const change = stateChanges(frame, "written").find((one) => one.messageId === messageId);
      if (change) states.add(change);
    }
  };
  const { address } = await mirror.ready;
  return { name, address, deliver: (target, frame) => mirror.deliver(target, frame), close: () => mirror.close() };
}

/** Two that ask at the same time are told apart. */
function freeName(name: string, paths: Paths): string {
  const isTaken = readRegistry(paths.claudeConfig).some(({ record, unreachable }) => record?.name === name && !unreachable);
  return isTaken ? `${name}-${process.pid}` : name;
}
