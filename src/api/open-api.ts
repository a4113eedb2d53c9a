import type { ModeClass } from "../claude/admission/consent.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Paths } from "../core/paths.ts";
import { accessToken } from "./access-token.ts";
import { createApp } from "./app.ts";
import { type HttpDoor, openPortDoor, openSocketDoor } from "./http-door.ts";
import { hostInUrl, type ListenAddress } from "./listen-address.ts";
import { RateLimit } from "./rate-limit.ts";
import { openServices, type Services } from "./services.ts";

export interface ApiOptions {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  readonly name: string;
  readonly mode?: ModeClass | undefined;
  /** Where to listen; one of them at least. */
  readonly socketPath?: string | undefined;
  readonly listen?: ListenAddress | undefined;
  readonly tokenFile: string;
  /** One line for the log. */
  readonly onProblem: (message: string) => void;
  readonly clock?: Clock;
}

export interface RunningApi {
  readonly name: string;
  /** `uds:` and the socket to which sessions write. */
  readonly address: string;
  readonly socketPath?: string;
  readonly url?: string;
  /** Stops listening, ends all that is open, and leaves the chat. May be called again. */
  close(): Promise<void>;
}

/** For each client; a program that asks as fast as it can gets that many. */
const RATE = { burst: 200, perSecond: 50 };

/** Enters the chat and listens. Rejects as the parts do; then nothing is left behind. */
export async function openApi(options: ApiOptions): Promise<RunningApi> {
  const { clock = systemClock, socketPath } = options;
  const closing = new AbortController();
  const services = await openServices({ ...options, clock, closing: closing.signal });
  const doors: HttpDoor[] = [];
  /** The last thing that goes is the name in the chat. */
  const close = async () => {
    closing.abort();
    await Promise.allSettled(doors.map((door) => door.close()));
    await services.close();
  };
  try {
    const url = await openDoors(services, { ...options, clock }, doors);
    return {
      name: services.name,
      address: services.address() ?? "",
      ...(socketPath !== undefined && { socketPath }),
      ...(url !== undefined && { url }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the address of the web at which it can be asked, if it can. */
async function openDoors(services: Services, options: ApiOptions & { clock: Clock }, doors: HttpDoor[]): Promise<string | undefined> {
  const { socketPath, listen, tokenFile, onProblem, clock } = options;
  const app = createApp(services, (error) => onProblem(`a defect: ${error.stack ?? error.message}`));
  const limit = new RateLimit({ ...RATE, clock });
  const shared = { fetch: (request: Request) => app.fetch(request), limit, onProblem };
  if (socketPath !== undefined) doors.push(await openSocketDoor(socketPath, shared));
  if (listen === undefined) return undefined;
  const door = await openPortDoor(listen, accessToken(tokenFile), shared);
  doors.push(door);
  return `http://${hostInUrl(door.address.host)}:${door.address.port}`;
}
