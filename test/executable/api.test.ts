import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import * as z from "zod";
import { healthSchema } from "../../src/api/schema.ts";
import { executable, notBuilt } from "../support/built-executable.ts";
import { eventually } from "../support/eventually.ts";
import { ApiClient } from "../unit/api/api-client.ts";
import { ChatHome } from "../unit/cli/fixtures/chat-home.ts";
import { leftIn, listedNames } from "../unit/peer/home-of-peers.ts";

test("ccm api of the executable serves, and after kill -9 there is no name and no process of it, and the next one starts", {
  skip: notBuilt,
}, async (t) => {
  const home = new ChatHome(t);
  const start = async () => {
    const child = spawn(executable, ["api", "--json"], {
      env: home.environment,
      cwd: home.paths.home,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    t.after(async () => {
      child.kill("SIGKILL");
      await closed;
    });
    const [line] = await once(createInterface(child.stdout), "line");
    const { socket } = JSON.parse(line);
    return { child, closed, socket, client: new ApiClient({ socketPath: socket }) };
  };
  const first = await start();
  assert.equal((await first.client.get("/health", healthSchema)).name, "api");
  const { openapi } = await first.client.get("/openapi.json", z.looseObject({ openapi: z.string() }));
  assert.match(openapi, /^3\.1\./);
  assert.deepEqual(listedNames(home), ["api"]);
  first.child.kill("SIGKILL");
  await first.closed;
  await eventually(() => leftIn(home).length === 0);
  assert.equal(fs.existsSync(first.socket), true);
  const next = await start();
  await next.client.get("/health", healthSchema);
  next.child.kill("SIGTERM");
  assert.deepEqual((await next.closed)[0], 0);
  assert.deepEqual([leftIn(home), fs.existsSync(next.socket)], [[], false]);
});
