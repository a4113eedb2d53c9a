import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { CcmError } from "../../core/errors.ts";

/** A place that holds the files of one release: a directory, or an address below which they are. */
export interface ReleaseSource {
  readonly place: string;
  /** Undefined if there is no such file. Rejects with `release_unavailable` where the place cannot be reached. */
  open(name: string): Promise<Readable | undefined>;
}

/**
 * Where the release may be, the likelier first: below `releases` as release pages of forges lay it out, or there itself. Throws
 * `usage` for an address whose files nobody could trust.
 */
export function releaseSources(releases: string, version: string | undefined): readonly ReleaseSource[] {
  const base = releases.replace(/\/+$/, "");
  if (!/^\w+:\/\//.test(base)) {
    const directories = [path.join(base, ...layout(version)), base];
    return directories.map((directory) => ({ place: directory, open: (name) => openFile(path.join(directory, name)) }));
  }
  if (!base.startsWith("https://")) {
    throw new CcmError("usage", `${base} is not https: what comes from it cannot be trusted`, {
      hint: "give an https address, or a directory",
    });
  }
  const places = [`${base}/${layout(version).join("/")}`, base];
  return places.map((place) => ({ place, open: (name) => openAddress(`${place}/${name}`) }));
}

function layout(version: string | undefined): string[] {
  return version === undefined ? ["latest", "download"] : ["download", `v${version}`];
}

async function openFile(file: string): Promise<Readable | undefined> {
  return fs.existsSync(file) ? fs.createReadStream(file) : undefined;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** The timeout ends with the headers: a large file on a slow line takes as long as it takes. */
async function openAddress(address: string): Promise<Readable | undefined> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`)), CONNECT_TIMEOUT_MS);
  try {
    const { ok, status, body } = await fetch(address, { signal: late.signal });
    if (status === 404) return undefined;
    if (!ok || !body) throw new Error(`the server answered ${status}`);
    return Readable.fromWeb(body as ReadableStream);
  } catch (cause) {
    throw unavailable(`cannot fetch ${address}: ${reasonOf(cause)}`, cause);
  } finally {
    clearTimeout(timer);
  }
}

/** What `fetch` throws says "fetch failed" and keeps the reason to itself. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

export function unavailable(message: string, cause?: unknown): CcmError {
  return new CcmError("release_unavailable", message, { hint: "see whether the address of the releases is right and reachable", cause });
}
