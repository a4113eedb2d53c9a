import { type CcmError, type ErrorCode, toCcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { ProblemDocument } from "./schema.ts";

export const PROBLEM_TYPE = "application/problem+json";

const MAX_DETAIL_CHARACTERS = 600;

const titles = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

export type ProblemStatus = keyof typeof titles;

export function problemTitle(status: ProblemStatus): string {
  return titles[status];
}

export interface ProblemFields {
  readonly code: string;
  readonly detail: string;
  readonly hint?: string | undefined;
  readonly errors?: ProblemDocument["errors"];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why a request is not done: the one way in which the API says no. Thrown by whoever finds out; answered in one place. */
export class Problem extends Error {
  readonly status: ProblemStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: ProblemDocument;

  constructor(status: ProblemStatus, { code, detail, hint, errors, headers = {} }: ProblemFields) {
    super(detail);
    this.name = "Problem";
    this.status = status;
    this.headers = headers;
    this.document = {
      type: "about:blank",
      title: titles[status],
      status,
      detail: plainLine(detail, MAX_DETAIL_CHARACTERS),
      code,
      ...(hint !== undefined && { hint: plainLine(hint, MAX_DETAIL_CHARACTERS) }),
      ...(errors !== undefined && { errors }),
    };
  }
}

/** What is not here is 500. */
const statuses: Partial<Record<ErrorCode, ProblemStatus>> = {
  usage: 400,
  no_such_member: 404,
  no_such_message: 404,
  ambiguous_name: 409,
  message_to_self: 409,
  undeliverable: 409,
  too_large: 413,
  daemon_unavailable: 503,
  state_unusable: 503,
  timeout: 503,
};

/** Anything thrown while a request was served. What nobody foresaw is told to `onDefect` and not to the client. */
export function toProblem(thrown: unknown, onDefect: (error: CcmError) => void): Problem {
  if (thrown instanceof Problem) return thrown;
  const error = toCcmError(thrown);
  const status = statuses[error.code];
  if (status !== undefined) return new Problem(status, { code: error.code, detail: error.message, hint: error.hint });
  onDefect(error);
  return new Problem(500, { code: "internal", detail: "a defect of ccm; what it is stands on the stderr of ccm api" });
}
