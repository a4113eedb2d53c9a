/**
 * A stand-in for the model behind Claude Code, a program for a host's loopback: `node stand-in-model.mts PORT DIRECTORY`.
 *
 * Sessions reach it as http://127.0.0.1:PORT/NAME and each has its own log, DIRECTORY/NAME.jsonl, one {@link ModelTurn} a line. It
 * does what the newest user text orders: `CALL <Tool> <json> END` becomes that tool call, also in a peer's message; anything else
 * is answered with "ok N". It imports nothing of ours, because hosts see this one file.
 */
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

/** One request to the model: what it was told since it last spoke, and what it said. */
export interface ModelTurn {
  readonly at: number;
  /** Names of the tools it could have called; none in Claude Code's own side questions. */
  readonly tools: readonly string[];
  readonly texts: readonly string[];
  /** What tools gave back. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
  readonly answer: Answer;
}

type Answer =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
}

interface Request {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

const ORDER = /CALL (\w+) (\{.*?\}) *END/gs;
let count = 0;

function textOf(content: string | readonly Block[] | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((block) => block.text ?? "").join("\n");
}

function takeTurn(request: Request): ModelTurn {
  const spoke = request.messages.findLastIndex(({ role }) => role === "assistant");
  const news = request.messages
    .slice(spoke + 1)
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
  const tools = (request.tools ?? []).map(({ name }) => name);
  const texts = news.filter(({ type }) => type === "text").map(({ text }) => text ?? "");
  const results = news
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id, content }) => ({ id: tool_use_id ?? "", text: textOf(content) }));
  return { at: Date.now(), tools, texts, results, answer: answerTo(texts, results.length > 0, tools) };
}

function answerTo(texts: readonly string[], hasResult: boolean, tools: readonly string[]): Answer {
  count += 1;
  const order = hasResult ? undefined : [...texts.join("\n").matchAll(ORDER)].at(-1);
  // A tool need not be among those offered: newer versions tell the model of some only when it asks. A side question has none.
  if (order === undefined || tools.length === 0) return { type: "text", text: `ok ${count}` };
  const [, name = "", input = "{}"] = order;
  return { type: "tool_use", id: `toolu_${count}`, name, input: JSON.parse(input) };
}

function* streamEvents(message: object, answer: Answer): Generator<{ readonly type: string; readonly [field: string]: unknown }> {
  const isCall = answer.type === "tool_use";
  yield { type: "message_start", message };
  yield { type: "content_block_start", index: 0, content_block: isCall ? { ...answer, input: {} } : { type: "text", text: "" } };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(answer.input) }
    : { type: "text_delta", text: answer.text };
  yield { type: "content_block_delta", index: 0, delta };
  yield { type: "content_block_stop", index: 0 };
  const stop = { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null };
  yield { type: "message_delta", delta: stop, usage: { output_tokens: 5 } };
  yield { type: "message_stop" };
}

async function serve(request: http.IncomingMessage, response: http.ServerResponse, directory: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const [, session = "", ...rest] = new URL(request.url ?? "/", "http://model").pathname.split("/");
  if (request.method === "HEAD") return void response.end();
  if (rest.join("/") === "v1/messages/count_tokens") return void response.end('{"input_tokens":10}');
  if (rest.join("/") !== "v1/messages") return void response.writeHead(404).end("{}");

  const body: Request = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const turn = takeTurn(body);
  fs.appendFileSync(path.join(directory, `${session}.jsonl`), `${JSON.stringify(turn)}\n`);
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = {
    id: `msg_${count}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  if (!body.stream) {
    const stop_reason = turn.answer.type === "tool_use" ? "tool_use" : "end_turn";
    return void response.end(JSON.stringify({ ...message, content: [turn.answer], stop_reason }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of streamEvents(message, turn.answer)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

if (import.meta.main) {
  const [port, directory = "."] = process.argv.slice(2);
  const server = http.createServer((request, response) => {
    serve(request, response, directory).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
}
