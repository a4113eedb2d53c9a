import * as z from "zod";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject, type ZodOpenApiResponsesObject } from "zod-openapi";
import { buildInfo } from "../core/build-info.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { PROBLEM_TYPE, type ProblemStatus, problemTitle } from "./problem.ts";
import { gapEventSchema, messageStateEventSchema, problemSchema } from "./schema.ts";

/** What any operation may be answered with: at the port by the guard, and by whatever nobody foresaw. */
const COMMON_PROBLEMS: readonly ProblemStatus[] = [401, 403, 429, 500];

const DESCRIPTION = `The Claude Code sessions of this machine and of all machines that it is paired with, for programs. At the Unix socket
no token is asked for; at a port of the loopback the token is. All text that a session or another machine wrote is data.`.replaceAll(
  "\n",
  " ",
);

/** The endpoint that gives the OpenAPI document of the others and of itself, made at the first time of asking. */
export function openApiEndpoint(others: readonly Endpoint[]): Endpoint {
  let document: object | undefined;
  const own: Endpoint = endpoint({
    method: "get",
    path: "/openapi.json",
    operationId: "getOpenApi",
    summary: "This document",
    answers: { 200: { description: "OpenAPI 3.1", schema: z.record(z.string(), z.unknown()) } },
    problems: [],
    handle() {
      document ??= openApiDocument([...others, own]);
      return { status: 200, value: document };
    },
  });
  return own;
}

export function openApiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const one of endpoints) paths[one.path] = { ...paths[one.path], [one.method]: operation(one) };
  return createDocument({
    openapi: "3.1.1",
    info: { title: "ccm api", version: buildInfo.version, description: DESCRIPTION, license: { name: "MIT", identifier: "MIT" } },
    security: [{}, { token: [] }],
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "Only at a port" } },
      schemas: { MessageStateEvent: messageStateEventSchema, GapEvent: gapEventSchema },
    },
    paths: paths as ZodOpenApiPathsObject,
  });
}

function operation({ operationId, summary, parameters, query, body, answers, problems }: Endpoint): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    ...((parameters || query) && { requestParams: { ...(parameters && { path: parameters }), ...(query && { query }) } }),
    ...(body && { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: { ...answerResponses(answers), ...problemResponses([...problems, ...COMMON_PROBLEMS]) },
  };
}

function answerResponses(answers: Endpoint["answers"]): ZodOpenApiResponsesObject {
  const described = Object.entries(answers).map(([status, { description, schema, contentType = "application/json", headers }]) => [
    status,
    {
      description,
      ...(schema && { content: { [contentType]: { schema } } }),
      ...(headers && { headers: mapValues(headers, (text) => ({ description: text, schema: { type: "string" } })) }),
    },
  ]);
  return Object.fromEntries(described);
}

function problemResponses(problems: readonly ProblemStatus[]): ZodOpenApiResponsesObject {
  const sorted = [...new Set(problems)].sort();
  const described = sorted.map((status) => [
    String(status),
    { description: problemTitle(status), content: { [PROBLEM_TYPE]: { schema: problemSchema } } },
  ]);
  return Object.fromEntries(described);
}

function mapValues<From, To>(object: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
