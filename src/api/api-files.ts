import path from "node:path";
import { MAX_SOCKET_PATH_BYTES, type Paths } from "../core/paths.ts";
import { sha256 } from "../core/sha256.ts";

export interface ApiFiles {
  readonly socket: string;
  readonly token: string;
}

/** Where the API of that name listens, and what holds the token of all APIs of this user. */
export function apiFiles(paths: Paths, name: string): ApiFiles {
  const directory = path.join(paths.state, "api");
  // A name may be anything, a file name not.
  const file = `${/^[a-z0-9][a-z0-9-]{0,31}$/.test(name) ? name : sha256(name).slice(0, 16)}.sock`;
  const preferred = path.join(directory, file);
  // As with the daemon's socket: beside it, where the state directory's path is too long for one.
  const socket =
    Buffer.byteLength(preferred) <= MAX_SOCKET_PATH_BYTES ? preferred : `${paths.controlSocket.replace(/\.sock$/, "")}-${file}`;
  return { socket, token: path.join(directory, "token") };
}
