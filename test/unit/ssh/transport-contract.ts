import assert from "node:assert/strict";
import { once } from "node:events";
import { buffer, text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { beforeDeadline } from "../../../src/ssh/before-deadline.ts";
import type { ConnectTransport, RemoteProcess, SshConnection } from "../../../src/ssh/transport.ts";
import { noSshd, startSshd, type TestSshd } from "./start-sshd.ts";

export interface TransportTraits {
  readonly skip?: string | false;
  /** Whether it can tell which signal ended a process. Default true. */
  readonly namesSignals?: boolean;
}

/** What every transport must do: run it for each. */
export function transportContract(
  name: string,
  connect: ConnectTransport,
  { skip = false, namesSignals = true }: TransportTraits = {},
): void {
  suite(`${name}: the contract of a transport`, { skip: skip || noSshd }, () => {
    let sshd: TestSshd;
    let connection: SshConnection;
    before(async () => {
      sshd = await startSshd({ hostKeys: ["ed25519"] });
      connection = await connect(sshd.target(), {});
    });
    after(async () => {
      connection.close();
      await connection.closed;
      await sshd[Symbol.asyncDispose]();
    });

    test("describes itself", () => {
      assert.match(connection.description, new RegExp(`@127\\.0\\.0\\.1:${sshd.port}`));
    });

    test("separates stdout, stderr and the exit code", async () => {
      const process = await connection.exec("echo out; echo err >&2; exit 3");
      const [out, error, exit] = await Promise.all([text(process.stdout), text(process.stderr), process.exit]);
      assert.deepEqual([out, error, exit.code], ["out\n", "err\n", 3]);
    });

    test("names the signal that ended a process", async () => {
      const process = await connection.exec("exec sh -c 'kill -TERM $$'");
      drain(process);
      assert.deepEqual(await process.exit, namesSignals ? { code: undefined, signal: "SIGTERM" } : { code: 255, signal: undefined });
    });

    test("runs several processes at once, each with its own streams", async () => {
      const processes = await Promise.all([1, 2, 3, 4].map((number) => connection.exec(`read word; echo $word ${number}`)));
      for (const [index, process] of processes.entries()) process.stdin.end(`w${index}\n`);
      assert.deepEqual(await Promise.all(processes.map((process) => text(process.stdout))), ["w0 1\n", "w1 2\n", "w2 3\n", "w3 4\n"]);
    });

    test("carries bytes both ways unchanged, with a reader that is slower than the window", async () => {
      const sent = Buffer.alloc(6 * 1024 * 1024, "0123456789abcdef\r\n\0\u00ff", "latin1");
      const process = await connection.exec("cat");
      process.stderr.resume();
      process.stdin.end(sent);
      await once(process.stdout, "readable", { signal: AbortSignal.timeout(10_000) });
      const received = await buffer(process.stdout);
      assert.ok(received.equals(sent));
    });

    test("a process that ends without reading its stdin fails the writer and hangs nobody", async () => {
      const process = await connection.exec("exit 5");
      drain(process);
      assert.equal((await process.exit).code, 5);
      const failure = await soon(new Promise((resolve) => process.stdin.write("late", resolve)));
      assert.ok(failure instanceof Error);
    });

    test("close() of a process ends its streams and settles its exit", async () => {
      const process = await connection.exec("cat");
      process.close();
      const settled = Promise.all([text(process.stdout), text(process.stderr), process.exit]);
      assert.deepEqual(await soon(settled), ["", "", { code: undefined, signal: undefined }]);
    });

    test("close() of the connection settles everything on it, and exec then rejects", async () => {
      const own = await connect(sshd.target(), {});
      const process = await own.exec("cat");
      const blocked = new Promise((resolve) => process.stdin.write(Buffer.alloc(16 * 1024 * 1024), resolve));
      own.close();
      own.close();
      await soon(own.closed);
      assert.deepEqual(await soon(process.exit), { code: undefined, signal: undefined });
      assert.ok((await soon(blocked)) instanceof Error);
      drain(process);
      await soon(once(process.stdout, "end"));
      await assert.rejects(own.exec("true"), { code: "ssh_failed" });
    });

    test("given up by its signal: nothing is left open", async () => {
      const controller = new AbortController();
      const attempt = connect(sshd.target(), { signal: controller.signal });
      controller.abort(new Error("enough"));
      await assert.rejects(attempt, { message: "enough" });
    });

    test("a small message goes and returns in far less than the 40 ms of a delayed acknowledgement", async () => {
      const process = await connection.exec("cat");
      process.stderr.resume();
      const timesMs: number[] = [];
      for (let round = 0; round < 50; round++) {
        const startMs = performance.now();
        process.stdin.write("x".repeat(100));
        await once(process.stdout, "data", { signal: AbortSignal.timeout(10_000) });
        timesMs.push(performance.now() - startMs);
      }
      process.close();
      const medianMs = timesMs.sort((a, b) => a - b)[25] ?? Number.NaN;
      assert.ok(medianMs < 20, `median ${medianMs} ms`);
    });
  });
}

function drain(process: RemoteProcess): void {
  process.stdout.resume();
  process.stderr.resume();
}

function soon<Result>(work: Promise<Result>): Promise<Result> {
  return beforeDeadline(work, { ms: 10_000, clock: systemClock, onTimeout: () => new Error("not within 10 s") });
}
