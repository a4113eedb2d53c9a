import type { CcmError } from "../../../core/errors.ts";

/** A machine to pair, as a word of the command line, a line of a file or a host of an inventory has it. */
export interface WantedHost {
  readonly host: string;
  readonly label?: string | undefined;
  /** What it is called where nobody asked for a label and it has none yet. */
  readonly suggestedLabel?: string | undefined;
  /** `hosts.txt, line 3`; absent for a word of the command line. */
  readonly where?: string | undefined;
}

/** What is wrong with one of them, and where it stands. */
export interface HostProblem {
  readonly where: string | undefined;
  readonly error: CcmError;
}
