import type * as z from "zod";
import type { ProblemStatus } from "./problem.ts";
import type { Services } from "./services.ts";

/** What is given for one status. */
export interface AnswerDescription {
  readonly description: string;
  /** Absent where there is no body. */
  readonly schema?: z.ZodType;
  /** JSON unless told otherwise. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: 200 | 201 | 202 | 204;
  /** Sent as JSON. */
  readonly value?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request whose parts have passed their schemas. */
export interface CheckedRequest<Parameters, Query, Body> {
  readonly parameters: Parameters;
  readonly query: Query;
  readonly body: Body;
  readonly method: string;
  /** By lower-case name. */
  header(name: string): string | undefined;
}

/**
 * One operation: from this alone the server routes and checks a request, and the OpenAPI document is made. What `handle` throws
 * is answered as a problem.
 */
export interface Endpoint {
  readonly method: "get" | "post" | "delete";
  /** With `{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly answers: Readonly<Record<string, AnswerDescription>>;
  /** Beside those that every operation may give. */
  readonly problems: readonly ProblemStatus[];
  // biome-ignore lint/suspicious/noExplicitAny: the schemas beside it give each handler its types, see `endpoint`
  readonly handle: (request: CheckedRequest<any, any, any>, services: Services) => Answer | Response | Promise<Answer | Response>;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** An {@link Endpoint} whose handler gets what its schemas let through. */
export function endpoint<
  Parameters extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodObject | undefined = undefined,
>(
  definition: Omit<Endpoint, "parameters" | "query" | "body" | "handle"> & {
    readonly parameters?: Parameters;
    readonly query?: Query;
    readonly body?: Body;
    readonly handle: (
      request: CheckedRequest<Output<Parameters>, Output<Query>, Output<Body>>,
      services: Services,
    ) => Answer | Response | Promise<Answer | Response>;
  },
): Endpoint {
  return definition as Endpoint;
}
