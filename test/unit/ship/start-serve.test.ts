import assert from "node:assert/strict";
import { test } from "node:test";
import { type RemoteServe, type StartServeOptions, startServe } from "../../../src/ship/start-serve.ts";
import { connectSsh } from "../../../src/ssh/connect.ts";
import { noSshd, startSshd } from "../ssh/start-sshd.ts";
import { FINAL_NAME, fixtureExecutable, installed } from "./fixture-executable.ts";
import { take } from "./take.ts";

test("pushes where nothing is, then starts; the next start pushes nothing", { skip: noSshd }, async (t) => {
  const sshd = await startSshd({ hostKeys: ["ed25519"] });
  t.after(() => sshd[Symbol.asyncDispose]());
  using fixture = fixtureExecutable();
  const connection = await connectSsh(sshd.target());
  t.after(() => connection.close());
  const start = (changes: Partial<StartServeOptions>): Promise<RemoteServe> => startServe(connection, { ...fixture, ...changes });

  const progress: number[] = [];
  const first = await start({ onProgress: ({ sentBytes, totalBytes }) => progress.push(sentBytes / totalBytes) });
  assert.equal(first.pushed, true);
  assert.equal(await take(first, "first bytes".length), "first bytes");
  first.writable.write("ping");
  assert.equal(await take(first, 4), "ping");
  await first.close();
  assert.equal((await first.exit).code, 0);
  assert.equal(first.stderrTail(), "warming up\n");
  assert.equal(progress.at(-1), 1);
  assert.deepEqual(installed(sshd), [FINAL_NAME]);

  const second = await start({ onProgress: () => assert.fail("nothing is sent") });
  assert.equal(second.pushed, false);
  await second.close();
  connection.close();
  await connection.closed;
});
