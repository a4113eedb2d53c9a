import { type Context, Hono } from "hono";
import type { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { checkRequest } from "./check-request.ts";
import type { Answer, Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { openApiEndpoint } from "./open-api-endpoint.ts";
import { PROBLEM_TYPE, Problem, toProblem } from "./problem.ts";
import type { Services } from "./services.ts";

/** The endpoints as one function from requests to answers. Whoever may not ask has been turned away before. */
export function createApp(services: Services, onDefect: (error: CcmError) => void): Hono {
  const app = new Hono({ strict: true });
  const all = [...endpoints, openApiEndpoint(endpoints)];
  for (const endpoint of all) {
    app.on(endpoint.method, honoPath(endpoint), async (context) => {
      const answer = await endpoint.handle(await checkRequest(context.req, endpoint), services);
      return answer instanceof Response ? answer : toResponse(answer);
    });
  }
  for (const path of new Set(all.map(honoPath))) {
    const allowed = all
      .filter((endpoint) => honoPath(endpoint) === path)
      .flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : method));
    app.all(path, () => {
      const headers = { Allow: allowed.map((method) => method.toUpperCase()).join(", ") };
      throw new Problem(405, { code: "method_not_allowed", detail: `only ${headers.Allow} can be done here`, headers });
    });
  }
  app.notFound((context) => problemResponse(notFound(context)));
  app.onError((error) => problemResponse(toProblem(error, onDefect)));
  return app;
}

/** Hono writes a parameter as `:id`, OpenAPI as `{id}`. */
function honoPath({ path }: Endpoint): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function toResponse({ status, value, headers }: Answer): Response {
  if (value === undefined) return new Response(null, { status, headers: { ...headers } });
  return Response.json(value, { status, headers: { "Cache-Control": "no-store", ...headers } });
}

function problemResponse({ status, document, headers }: Problem): Response {
  return new Response(JSON.stringify(document), {
    status,
    headers: { "Content-Type": PROBLEM_TYPE, "Cache-Control": "no-store", ...headers },
  });
}

function notFound({ req }: Context): Problem {
  return new Problem(404, {
    code: "not_found",
    detail: `there is nothing at ${plainLine(req.path, 100)}`,
    hint: "GET /openapi.json has all that there is",
  });
}
