import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { healthSchema } from "../../../src/api/schema.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { ApiClient } from "./api-client.ts";
import { end, start, traces } from "./api-process.ts";

test("ended by SIGTERM or SIGINT it goes at once, though a stream is open, and leaves no socket and no peer", async (context) => {
  const machine = new TestMachine(context, "laptop");
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const { child, told } = await start(context, machine);
    const client = new ApiClient({ socketPath: told.socket });
    assert.equal((await client.get("/health", healthSchema)).address, told.address);
    const events = await client.events();
    const { code, tookMs } = await end(child, signal);
    assert.equal(code, 0);
    assert.ok(tookMs < 2_000, `it took ${tookMs} ms`);
    events.close();
    assert.deepEqual([fs.existsSync(told.socket), traces(machine)], [false, []]);
  }
});
