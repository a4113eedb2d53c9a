/** One request to the model: what it was told since it last spoke, and what it said. */
export interface ModelTurn extends News {
  readonly answer: Answer;
}

interface News {
  /** How many tools it could have called; none in Claude Code's own side questions. */
  readonly tools: number;
  readonly texts: readonly string[];
  /** What tools gave back. */
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

type Answer =
  | { readonly type: "text"; readonly text: string; readonly isHeld?: boolean }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly content?: string | readonly Block[];
}

export interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly unknown[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

/** In a text that the model is told, `CALL <Tool> <json> END` makes it call that tool, and this makes it think until it is released. */
export const HOLD_ORDER = "HOLD THE TURN";
const CALL_ORDER = /CALL (\w+) (\{.*?\}) *END/gs;

export function takeNews({ messages, tools = [] }: ModelRequest): News {
  const spoke = messages.findLastIndex(({ role }) => role === "assistant");
  const blocks = messages
    .slice(spoke + 1)
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
  return {
    tools: tools.length,
    texts: blocks.filter(({ type }) => type === "text").map(({ text }) => text ?? ""),
    results: blocks
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id, content }) => ({ id: tool_use_id ?? "", text: textOf(content) })),
  };
}

/** A tool need not be among those offered: newer versions tell the model of some only when it asks. A side question has none. */
export function answerTo({ tools, texts, results }: News, count: number): Answer {
  const said = texts.join("\n");
  const order = results.length > 0 ? undefined : [...said.matchAll(CALL_ORDER)].at(-1);
  if (order === undefined || tools === 0) return { type: "text", text: `ok ${count}`, isHeld: tools > 0 && said.includes(HOLD_ORDER) };
  const [, name = "", input = "{}"] = order;
  return { type: "tool_use", id: `toolu_${count}`, name, input: JSON.parse(input) };
}

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The answer as the vendor's API gives it at once. */
export function wholeMessage(model: string, answer: Answer, count: number): object {
  return { ...emptyMessage(model, count), content: [answer], stop_reason: stopReason(answer) };
}

/** The answer as the vendor's API streams it. */
export function streamEvents(model: string, answer: Answer, count: number): StreamEvent[] {
  const isCall = answer.type === "tool_use";
  const block = isCall ? { ...answer, input: {} } : { type: "text", text: "" };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(answer.input) }
    : { type: "text_delta", text: answer.text };
  return [
    { type: "message_start", message: emptyMessage(model, count) },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

function emptyMessage(model: string, count: number): object {
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return { id: `msg_${count}`, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage };
}

function stopReason({ type }: Answer): string {
  return type === "tool_use" ? "tool_use" : "end_turn";
}

function textOf(content: string | readonly Block[] | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((block) => block.text ?? "").join("\n");
}
