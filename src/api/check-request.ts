import type { HonoRequest } from "hono";
import type * as z from "zod";
import { plainLine } from "../core/plain-text.ts";
import type { CheckedRequest, Endpoint } from "./endpoint.ts";
import { Problem } from "./problem.ts";
import type { ProblemDocument } from "./schema.ts";

type Fault = NonNullable<ProblemDocument["errors"]>[number];
type Place = Fault["in"];

/** A body near the limit of an inbox takes up to six characters for one in JSON; more than that no inbox takes. */
export const MAX_BODY_BYTES = 7 * 1024 * 1024;
const MAX_FAULTS = 20;

/** The parts of a request by the schemas of its endpoint. Rejects with a {@link Problem}: 400 with what and where, 413 or 415. */
export async function checkRequest(request: HonoRequest, endpoint: Endpoint): Promise<CheckedRequest<unknown, unknown, unknown>> {
  const parameters = endpoint.parameters && check("path", endpoint.parameters, request.param());
  const query = endpoint.query && check("query", endpoint.query, singleValues(request.queries()));
  const body = endpoint.body && check("body", endpoint.body, await readJson(request));
  return { parameters, query, body, method: request.method, header: (name) => request.header(name) };
}

function check(place: Place, schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw invalid(error.issues.slice(0, MAX_FAULTS).map(({ path, message }) => faultAt(place, pointer(path), message)));
}

/** A parameter that is given twice could be read in two ways. */
function singleValues(values: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const repeated = Object.entries(values).filter(([, given]) => given.length > 1);
  if (repeated.length > 0)
    throw invalid(repeated.slice(0, MAX_FAULTS).map(([name]) => faultAt("query", pointer([name]), "is given twice")));
  return Object.fromEntries(Object.entries(values).map(([name, [value = ""]]) => [name, value]));
}

async function readJson(request: HonoRequest): Promise<unknown> {
  const [type] = (request.header("content-type") ?? "").split(";");
  if (type?.trim().toLowerCase() !== "application/json") {
    throw new Problem(415, { code: "unsupported_media_type", detail: "the body must be application/json" });
  }
  const bytes = await readBytes(request);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalid([faultAt("body", "", error instanceof SyntaxError ? `is not JSON: ${error.message}` : "is not UTF-8")]);
  }
}

async function readBytes(request: HonoRequest): Promise<Uint8Array> {
  if (Number(request.header("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.raw.body ?? []) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What is left of it is not read: the connection ends with the answer. */
function tooLarge(): Problem {
  const detail = `the body is over ${MAX_BODY_BYTES} bytes`;
  return new Problem(413, { code: "too_large", detail, hint: "put it into a file and send the path", headers: { Connection: "close" } });
}

function invalid(errors: Fault[]): Problem {
  const [first] = errors;
  const where = first === undefined ? "the request" : `the ${first.in}${first.at === "" ? "" : ` at ${first.at}`}`;
  return new Problem(400, { code: "usage", detail: `${where}: ${first?.detail ?? "is not what it must be"}`, errors });
}

function faultAt(place: Place, at: string, detail: string): Fault {
  return { in: place, at: plainLine(at), detail: plainLine(detail) };
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
