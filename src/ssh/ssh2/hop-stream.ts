import type { Client, ClientChannel } from "ssh2";
import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { SshTarget } from "../ssh-target.ts";
import { JoinedStream } from "./joined-stream.ts";

/** A connection to a jump host, as much of it as a way through needs. */
export interface Hop {
  readonly client: Client;
  readonly closed: Promise<void>;
  close(): void;
}

/**
 * The byte stream to a target's sshd through the sshd of a hop. The hop belongs to the stream and ends with it. Rejects with
 * `host_not_found` or `host_unreachable` in the hop's words; the deadline is the caller's.
 */
export function openThroughHop(target: SshTarget, hop: Hop): Promise<JoinedStream> {
  return new Promise((resolve, reject) => {
    void hop.closed.then(() => reject(unreachable(target, "the connection to the jump host ended")));
    hop.client.forwardOut("127.0.0.1", 0, target.host, target.port, (error, channel: ClientChannel) => {
      if (error) return reject(unreachable(target, plainLine(error.message.replace(/^.*failure: /, ""), 120), error));
      const stream = new JoinedStream({ readable: channel, writable: channel, release: () => hop.close() });
      void hop.closed.then(() => stream.destroy());
      resolve(stream);
    });
  });
}

function unreachable(target: SshTarget, reason: string, cause?: Error): CcmError {
  const isName = /name|resolve|known/i.test(reason);
  const through = target.via?.alias ?? "the jump host";
  return new CcmError(
    isName ? "host_not_found" : "host_unreachable",
    `cannot reach ${target.host} port ${target.port} through ${through}: ${reason}`,
    { hint: `check it on ${through}: that host has to know the name, reach the port and allow forwarding`, cause },
  );
}
