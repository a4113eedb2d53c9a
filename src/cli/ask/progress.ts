import type { TimedState } from "../../link/message-states.ts";
import { describeState } from "../message/outcomes.ts";

/** Every message is queued and sent for an instant; only one that stays so is worth a line. */
const PASSING_MS = 1_000;

export interface Progress {
  readonly tell: (state: TimedState, targetName: string) => void;
  end(): void;
}

/** A line for each state that makes one wait: that it is held, let through, or not on its way yet. */
export function progressTo(stream: Pick<NodeJS.WriteStream, "write"> | undefined): Progress {
  let late: NodeJS.Timeout | undefined;
  return {
    tell: (state, targetName) => {
      clearTimeout(late);
      const say = () => stream?.write(`${describeState(targetName, state)}\n`);
      if (state.state === "held" || state.state === "delivered") say();
      else if (state.state === "queued" || state.state === "sent") late = setTimeout(say, PASSING_MS);
    },
    end: () => clearTimeout(late),
  };
}
