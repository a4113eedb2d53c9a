import assert from "node:assert/strict";
import http from "node:http";
import type { TestContext } from "node:test";
import type * as z from "zod";
import { apiFiles } from "../../../src/api/api-files.ts";
import type { ListenAddress } from "../../../src/api/listen-address.ts";
import { openApi, type RunningApi } from "../../../src/api/open-api.ts";
import { problemSchema } from "../../../src/api/schema.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestMachine } from "../../support/test-machine.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface ApiRequest {
  readonly method?: string;
  /** Sent as JSON; a string or bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where to ask: a socket, or a port of the loopback. */
export type Place = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Starts the API in this process, on the socket of its name; it leaves at the end of the test. */
export async function startApi(test: TestContext, machine: TestMachine, options: { name?: string; listen?: ListenAddress } = {}) {
  const { name = "bot", listen } = options;
  const { paths, environment } = machine;
  const files = apiFiles(paths, name);
  const problems: string[] = [];
  const running = await openApi({
    paths,
    environment,
    name,
    socketPath: listen ? undefined : files.socket,
    listen,
    tokenFile: files.token,
    onProblem: (problem) => problems.push(problem),
  });
  test.after(async () => {
    await running.close();
    assert.deepEqual(problems, []);
  });
  return { running, files, client: new ApiClient(placeOf(running)) };
}

function placeOf({ socketPath, url }: RunningApi): Place {
  if (socketPath !== undefined) return { socketPath };
  const { hostname, port } = new URL(url ?? "");
  return { host: hostname.replace(/[[\]]/g, ""), port: Number(port) };
}

/** Asks as a program would; every problem must be one. */
export class ApiClient {
  readonly place: Place;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(place: Place, headers: Readonly<Record<string, string>> = {}) {
    this.place = place;
    this.#headers = headers;
  }

  with(headers: Readonly<Record<string, string>>): ApiClient {
    return new ApiClient(this.place, { ...this.#headers, ...headers });
  }

  async ask(path: string, { method = "GET", body, headers = {} }: ApiRequest = {}): Promise<ApiAnswer> {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const content = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
    const given = { ...(content !== undefined && { "Content-Type": "application/json" }), ...this.#headers, ...headers };
    const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
    const request = http.request({ ...this.place, path, method, headers: given, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on("error", reject);
    });
    request.on("error", reject).end(content);
    return await promise;
  }

  /** The value of an answer that must have this status and be what the document says it is. */
  async get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    request: ApiRequest & { status?: number } = {},
  ): Promise<z.output<Schema>> {
    const { status, text } = await this.ask(path, request);
    assert.equal(status, request.status ?? 200, text);
    return schema.parse(JSON.parse(text));
  }

  /** Asks what must be refused: the status and the code of the problem. */
  async refused(path: string, request: ApiRequest = {}): Promise<[number, string]> {
    const { status, headers, text } = await this.ask(path, request);
    assert.equal(headers["content-type"], "application/problem+json", text);
    assert.equal(headers["access-control-allow-origin"], undefined);
    const problem = problemSchema.parse(JSON.parse(text));
    assert.equal(problem.status, status);
    return [status, problem.code];
  }

  async events(lastEventId?: string): Promise<EventReader> {
    const reader = new EventReader();
    await reader.open(this.place, { ...this.#headers, ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) });
    return reader;
  }
}

export interface ReadEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event has data of its own
  readonly data: any;
}

/** Reads a stream of events until it is closed from either side. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  isOver = false;
  #request: http.ClientRequest | undefined;

  async open(place: Place, headers: Readonly<Record<string, string>>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let rest = "";
    this.#request = http.request({ ...place, path: "/events", headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`no stream: ${response.statusCode}`));
      response.setEncoding("utf8").on("data", (text: string) => {
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop() ?? "";
        this.events.push(...blocks.flatMap(parseBlock));
        resolve();
      });
      response.on("error", () => undefined).on("close", () => (this.isOver = true));
    });
    this.#request.on("error", (error) => {
      this.isOver = true;
      reject(error);
    });
    this.#request.end();
    await promise;
  }

  async next(event: string, isIt: (data: ReadEvent["data"]) => boolean = () => true): Promise<ReadEvent> {
    return await eventually(() => this.events.find((one) => one.event === event && isIt(one.data)), { deadlineMs: 10_000, what: event });
  }

  close(): void {
    this.#request?.destroy();
  }
}

function parseBlock(block: string): ReadEvent[] {
  const fields = Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
  return fields["event"] === undefined
    ? []
    : [{ id: fields["id"] ?? "", event: fields["event"], data: JSON.parse(fields["data"] ?? "null") }];
}
