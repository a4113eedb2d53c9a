import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { MAX_BODY_BYTES } from "../../../src/api/check-request.ts";
import { parseListenAddress } from "../../../src/api/listen-address.ts";
import { RateLimit } from "../../../src/api/rate-limit.ts";
import { healthSchema } from "../../../src/api/schema.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { type ApiClient, startApi } from "./api-client.ts";

async function atPort(context: TestContext) {
  const machine = new TestMachine(context, "laptop");
  const { client, files } = await startApi(context, machine, { listen: { host: "127.0.0.1", port: 0 } });
  const token = fs.readFileSync(files.token, "utf8").trim();
  const port = "port" in client.place ? client.place.port : 0;
  return { client, known: client.with({ Authorization: `Bearer ${token}` }), files, token, port };
}

const post = (body: unknown) => ({ method: "POST", body });

test("a web page is refused: without a token, with a foreign Origin, with a Host that was rebound to the loopback", async (context) => {
  const { client, known, token, port } = await atPort(context);
  assert.equal((await known.get("/health", healthSchema)).name, "bot");
  assert.deepEqual(await client.refused("/health"), [401, "unauthorized"]);
  for (const Authorization of [
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    "Bearer",
    "Bearer ",
    `Basic ${token}`,
    token,
    `Bearer ${"x".repeat(9_000)}`,
  ]) {
    assert.deepEqual(await client.refused("/health", { headers: { Authorization } }), [401, "unauthorized"]);
  }
  const unauthorized = await client.ask("/health");
  assert.match(unauthorized.headers["www-authenticate"] ?? "", /^Bearer/);
  for (const Origin of ["https://example.com", "null", `http://127.0.0.1:${port + 1}`, `https://127.0.0.1:${port}`, ""]) {
    assert.deepEqual(await known.refused("/messages", { ...post({ to: "api", text: "x" }), headers: { Origin } }), [403, "foreign_origin"]);
  }
  for (const Host of [
    "example.com",
    `example.com:${port}`,
    "127.0.0.1",
    `127.0.0.1:${port + 1}`,
    `localhost.example.com:${port}`,
    `127.0.0.1:${port}@x`,
  ]) {
    assert.deepEqual(await known.refused("/health", { headers: { Host } }), [403, "foreign_host"]);
  }
  assert.match(await raw(known, `GET /health HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`), /^HTTP\/1.1 403 /);
  for (const Host of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
    await known.get("/health", healthSchema, { headers: { Host } });
  await known.get("/health", healthSchema, { headers: { Origin: `http://127.0.0.1:${port}` } });
  const preflight = { method: "OPTIONS", headers: { Origin: "https://example.com", "Access-Control-Request-Method": "POST" } };
  assert.deepEqual(await client.refused("/messages", preflight), [403, "foreign_origin"]);
});

test("the token is in a file of this user alone, made once; one that others can read is refused", async (context) => {
  const { files, token } = await atPort(context);
  assert.equal(fs.statSync(files.token).mode & 0o777, 0o600);
  assert.match(token, /^[0-9a-f]{64}$/);
  const { accessToken } = await import("../../../src/api/access-token.ts");
  assert.equal(accessToken(files.token), token);
  fs.chmodSync(files.token, 0o644);
  assert.throws(() => accessToken(files.token), { code: "state_unusable", message: /can be read by others$/ });
  fs.rmSync(files.token);
  fs.symlinkSync("/etc/hostname", files.token);
  assert.throws(() => accessToken(files.token), { code: "state_unusable" });
});

test("the socket asks for no token, is 0600 in a directory of 0700, and serves no page either", async (context) => {
  const { client, files } = await startApi(context, new TestMachine(context, "laptop"));
  assert.equal((await client.get("/health", healthSchema, { headers: { Host: "whatever/../:x" } })).machine, "laptop");
  assert.deepEqual([fs.statSync(files.socket).mode & 0o777, fs.statSync(path.dirname(files.socket)).mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(await client.refused("/health", { headers: { Origin: "http://localhost" } }), [403, "foreign_origin"]);
});

test("what a request must not be: 400 with what and where, 404, 405, 415", async (context) => {
  const { client } = await startApi(context, new TestMachine(context, "laptop"));
  const faults: [unknown, string][] = [
    [{ text: "hi" }, "/to"],
    [{ to: "api", text: "" }, "/text"],
    [{ to: "x".repeat(301), text: "hi" }, "/to"],
    [{ to: "api", text: "hi", surprise: 1 }, ""],
    [[], ""],
    ["{", ""],
    [Buffer.from([0x22, 0xff, 0x22]), ""],
    ["", ""],
  ];
  for (const [body, at] of faults) {
    const { status, text } = await client.ask("/messages", post(body));
    const { code, errors } = JSON.parse(text);
    assert.deepEqual([status, code, errors[0].in, errors[0].at], [400, "usage", "body", at], text);
  }
  for (const query of ["limit=0", "limit=x", "limit=1&limit=2", "state=unknown", "direction=up", "other=1"]) {
    assert.deepEqual(await client.refused(`/messages?${query}`), [400, "usage"]);
  }
  const hostile = await client.ask("/messages", post({ ["\u001b[31m".repeat(500)]: 1 }));
  assert.ok(hostile.text.length < 2_000 && !hostile.text.includes("u001b"), hostile.text);
  for (const path of ["/", "/nope", "/messages/", "/messages/none", "/sessions/none", "/idle-subscriptions/none", "/health/..", "/%00"]) {
    assert.equal((await client.refused(path))[0], 404, path);
  }
  for (const [method, path, allowed] of [
    ["PUT", "/messages", "POST, GET, HEAD"],
    ["POST", "/health", "GET, HEAD"],
    ["OPTIONS", "/events", "GET, HEAD"],
    ["PATCH", "/idle-subscriptions/x", "GET, HEAD, DELETE"],
  ] as const) {
    assert.deepEqual(await client.refused(path, { method }), [405, "method_not_allowed"]);
    assert.equal((await client.ask(path, { method })).headers.allow, allowed);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
    assert.deepEqual(await client.refused("/messages", { ...post("{}"), headers: { "Content-Type": type } }), [
      415,
      "unsupported_media_type",
    ]);
  }
  const head = await client.ask("/health", { method: "HEAD" });
  assert.deepEqual([head.status, head.text], [200, ""]);
});

/** Writes bytes as they are, and returns all that comes back until the server hangs up. */
async function raw(client: ApiClient, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = net.connect("socketPath" in client.place ? { path: client.place.socketPath } : client.place);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  for (const part of parts) socket.write(part);
  return await text(socket);
}

test("a body over the limit is refused with 413 before it is read, also where its length is not said; the next request is served", async (context) => {
  const { client } = await startApi(context, new TestMachine(context, "laptop"));
  const head = "POST /messages HTTP/1.1\r\nHost: ccm\r\nContent-Type: application/json\r\n";
  assert.match(await raw(client, `${head}Content-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`), /^HTTP\/1.1 413 [\s\S]*"code":"too_large"/);
  const chunk = Buffer.alloc(MAX_BODY_BYTES / 7 + 1, "x");
  const chunks = Array.from({ length: 7 }, () =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
  );
  assert.match(await raw(client, `${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunks), /^HTTP\/1.1 413 /);
  await client.get("/health", healthSchema);
});

test("what is no HTTP is answered with a problem, or not at all, and harms nobody else", async (context) => {
  const { client } = await startApi(context, new TestMachine(context, "laptop"));
  assert.match(await raw(client, "\u0000\u0001 nonsense\r\n\r\n"), /^HTTP\/1.1 400 [\s\S]*"code":"malformed_request"/);
  assert.match(await raw(client, `GET /health HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`), /^HTTP\/1.1 431 /);
  assert.equal(await raw(client, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"), "");
  assert.match(await raw(client, "GET http://example.com/health HTTP/1.0\r\n\r\n"), /^HTTP\/1.1 (200|400|404) /);
  await client.get("/health", healthSchema);
});

test("a client that asks too fast is told when to come back; strangers do not use up what the one with the token may ask", async (context) => {
  const { client, known } = await atPort(context);
  const answers = await Promise.all(Array.from({ length: 320 }, () => client.ask("/health")));
  const refused = answers.find(({ status }) => status === 429);
  assert.equal(refused?.headers["retry-after"], "1");
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [401, 429]);
  await known.get("/health", healthSchema);
});

test("the rate limit: a burst, then as many as trickle in, for each client", () => {
  const clock = new ManualClock();
  const limit = new RateLimit({ burst: 3, perSecond: 0.5, clock });
  const take = (client: string) => limit.take(client);
  assert.deepEqual([take("a"), take("a"), take("a"), take("a"), take("b")], [undefined, undefined, undefined, 2, undefined]);
  clock.advance(2_000);
  assert.deepEqual([take("a"), take("a")], [undefined, 2]);
});

test("only an address of the loopback with a port is one to listen at", () => {
  for (const text of [
    "0.0.0.0:80",
    "192.168.1.2:80",
    "[::]:80",
    "example.com:80",
    "127.0.0.1",
    "8080",
    "127.0.0.1:70000",
    "127.0.0.999:1",
    ":1",
    "127.1:80",
  ]) {
    assert.throws(() => parseListenAddress(text), { code: "usage" }, text);
  }
  assert.deepEqual(parseListenAddress("Localhost:0"), { host: "127.0.0.1", port: 0 });
  assert.deepEqual(parseListenAddress("[::1]:65535"), { host: "::1", port: 65_535 });
  assert.deepEqual(parseListenAddress("127.8.9.1:80"), { host: "127.8.9.1", port: 80 });
});
