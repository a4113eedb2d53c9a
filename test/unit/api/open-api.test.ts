import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as z from "zod";
import { endpoints } from "../../../src/api/endpoints.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { startApi } from "./api-client.ts";

const documentSchema = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.record(z.string(), z.any())) });

test("GET /openapi.json is a valid OpenAPI 3.1 document of exactly what is served", async (context) => {
  const { client } = await startApi(context, new TestMachine(context, "laptop"));
  const document = await client.get("/openapi.json", documentSchema);
  assert.match(document.openapi, /^3\.1\./);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  assert.deepEqual(described.sort(), [...endpoints.map(({ method, path }) => `${method} ${path}`), "get /openapi.json"].sort());
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { operationId, responses }] of Object.entries(operations)) {
      assert.ok(operationId && responses["401"] && responses["429"], `${method} ${path}`);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operations[method].parameters
        ?.filter((one: { in: string }) => one.in === "path")
        .map((one: { name: string }) => one.name);
      assert.deepEqual(parameters ?? [], named);
    }
  }
});

test("every operation that takes a body may answer 400, 413 and 415; every one that names a thing 404", () => {
  for (const { path, body, parameters, problems } of endpoints) {
    if (body)
      assert.ok(
        [400, 413, 415].every((status) => problems.some((one) => one === status)),
        path,
      );
    if (parameters) assert.ok(problems.includes(404), path);
  }
});
