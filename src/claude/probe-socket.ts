import net from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";

const PROBE_DEADLINE_MS = 2_000;

/** Whether someone accepts connections on a Unix socket: connects, sends nothing, hangs up. Never rejects; settles within 2 s. */
export function probeSocket(socketPath: string, clock: Clock = systemClock): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    const settle = (accepted: boolean) => {
      cancelDeadline();
      socket.destroy();
      resolve(accepted);
    };
    const cancelDeadline = clock.after(PROBE_DEADLINE_MS, () => settle(false));
    socket.once("connect", () => settle(true));
    socket.on("error", () => settle(false));
  });
}
