import type http from "node:http";
import type { AddressInfo } from "node:net";
import { answerTo, type ModelRequest, type ModelTurn, streamEvents, takeNews, wholeMessage } from "./model-turn.ts";

export interface StandInModelOptions {
  /** One that is free unless told otherwise. */
  readonly port?: number;
  /** Of each turn, before it is answered. */
  readonly onTurn?: (session: string, turn: ModelTurn) => void;
}

/**
 * Stands in for the model behind Claude Code, on loopback. Each session has a path of its own and with it its own list of turns. It
 * is also the proxy of those sessions, and refuses to connect anywhere.
 */
export class StandInModel {
  readonly #server: http.Server;
  readonly #turns = new Map<string, ModelTurn[]>();
  readonly #held = new Map<string, (() => void)[]>();
  readonly #onTurn: (session: string, turn: ModelTurn) => void;
  #count = 0;

  private constructor(onTurn: (session: string, turn: ModelTurn) => void) {
    this.#onTurn = onTurn;
    // Not by an import: no other command is to load it.
    this.#server = process.getBuiltinModule("node:http").createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on("connect", (_request, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  }

  static async start({ port = 0, onTurn = () => {} }: StandInModelOptions = {}): Promise<StandInModel> {
    const model = new StandInModel(onTurn);
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    return model;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Where the session of that name reaches its model. */
  urlFor(session: string): string {
    return `${this.origin}/${session}`;
  }

  /** What a session told its model, oldest first, without Claude Code's own side questions, which offer no tools. */
  turns(session: string): readonly ModelTurn[] {
    return (this.#turns.get(session) ?? []).filter(({ tools }) => tools > 0);
  }

  /** Ends the turns of a session that the model holds because a text ordered so. */
  release(session: string): void {
    const held = this.#held.get(session) ?? [];
    this.#held.delete(session);
    for (const release of held) release();
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, session = "", ...rest] = new URL(request.url ?? "/", "http://model").pathname.split("/");
    const action = rest.join("/");
    if (request.method === "HEAD") return void response.end();
    if (action === "v1/messages/count_tokens") return void response.end('{"input_tokens":10}');
    if (action !== "v1/messages") return void response.writeHead(404).end("{}");
    await this.#answer(session, JSON.parse(Buffer.concat(chunks).toString("utf8")), response);
  }

  async #answer(session: string, request: ModelRequest, response: http.ServerResponse): Promise<void> {
    this.#count += 1;
    const news = takeNews(request);
    const answer = answerTo(news, this.#count);
    const turn = { ...news, answer };
    this.#turns.set(session, [...(this.#turns.get(session) ?? []), turn]);
    this.#onTurn(session, turn);
    if (answer.type === "text" && answer.isHeld === true) await this.#hold(session);
    if (request.stream !== true) return void response.end(JSON.stringify(wholeMessage(request.model, answer, this.#count)));
    const events = streamEvents(request.model, answer, this.#count);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }

  #hold(session: string): Promise<void> {
    return new Promise((resolve) => {
      this.#held.set(session, [...(this.#held.get(session) ?? []), resolve]);
    });
  }
}
