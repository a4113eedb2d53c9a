import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import type { Connection } from "ssh2";
import { connectSsh } from "../../../src/ssh/connect.ts";
import type { SshConnection } from "../../../src/ssh/transport.ts";
import { type FaultServer, startFaultServer, startTcpServer } from "./start-fault-server.ts";
import { noSshd } from "./start-sshd.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-deadlines-"));
after(() => fs.rmSync(directory, { recursive: true }));

suite("S6 every wait ends", { skip: noSshd }, () => {
  test("a server that says nothing after connect: a deadline", async () => {
    await using server = await startTcpServer(directory, () => {});
    await assert.rejects(connectSsh(server.target(), { timeouts: { handshakeMs: 200 } }), {
      code: "timeout",
      message: /handshake within 0.2 s/,
    });
  });

  test("a server that hangs up at once, or speaks something else", async () => {
    await using abrupt = await startTcpServer(directory, (socket) => socket.destroy());
    await assert.rejects(connectSsh(abrupt.target()), { code: "ssh_failed" });
    await using web = await startTcpServer(directory, (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await assert.rejects(connectSsh(web.target()), { code: "ssh_failed" });
    await using garbage = await startTcpServer(directory, (socket) => socket.write(`SSH-2.0-x\r\n${"\u00ff".repeat(5000)}`));
    await assert.rejects(connectSsh(garbage.target(), { timeouts: { handshakeMs: 2_000 } }), { name: "CcmError" });
  });

  test("nobody listens; no such name", async () => {
    const server = await startTcpServer(directory, () => {});
    const target = server.target();
    await server[Symbol.asyncDispose]();
    await assert.rejects(connectSsh(target), { code: "host_unreachable", message: /nothing listens/ });
    await assert.rejects(connectSsh({ ...target, host: "no-such-host.invalid" }), {
      code: "host_not_found",
      message: /no-such-host\.invalid/,
    });
  });

  test("the connection dies in the ready callback: exec rejects, closed settles", async () => {
    await using server = await startFaultServer(directory, (_connection, socket) => socket.destroy());
    const connection = await connectSsh(server.target());
    await assert.rejects(connection.exec("true"), { code: "ssh_failed" });
    await connection.closed;
    await assert.rejects(connection.exec("true"), { code: "ssh_failed", message: /connection/ });
  });

  test("exec that is never answered: a deadline, and the connection can be closed", async () => {
    await using server = await startFaultServer(directory, (connection) => onSession(connection, () => {}));
    await withConnection(server, async (connection) => {
      await assert.rejects(connection.exec("true"), { code: "timeout", message: /within 0.2 s/ });
    });
  });

  test("a session that is never opened: a deadline", async () => {
    await using server = await startFaultServer(directory, (connection) => connection.on("session", () => {}));
    await withConnection(server, async (connection) => {
      await assert.rejects(connection.exec("true"), { code: "timeout" });
    });
  });

  test("a refused session and a refused command say so", async () => {
    await using noSession = await startFaultServer(directory, (connection) => connection.on("session", (_accept, reject) => reject()));
    await withConnection(noSession, async (connection) => {
      await assert.rejects(connection.exec("true"), { code: "ssh_failed", message: /did not start a command/ });
    });
    await using noExec = await startFaultServer(directory, (connection) => onSession(connection, (_accept, reject) => reject()));
    await withConnection(noExec, async (connection) => {
      await assert.rejects(connection.exec("true"), { code: "ssh_failed", message: /did not start a command/ });
    });
  });

  test("the cable is pulled while a process runs: its streams end and its exit is unknown", async () => {
    let pull = (): void => {};
    await using server = await startFaultServer(directory, (connection, socket) => {
      pull = () => socket.destroy();
      onSession(connection, (accept) => accept().write("half a li"));
    });
    await withConnection(server, async (connection) => {
      const process = await connection.exec("true");
      process.stderr.resume();
      const chunks: string[] = [];
      for await (const chunk of process.stdout) {
        chunks.push(String(chunk));
        pull();
      }
      assert.deepEqual([chunks.join(""), await process.exit], ["half a li", { code: undefined, signal: undefined }]);
      await connection.closed;
    });
  });

  test("a peer that falls silent: keepalives go unanswered and the connection ends", async () => {
    await using server = await startFaultServer(directory, (_connection, socket) => socket.pause().removeAllListeners("data"));
    const connection = await connectSsh(server.target(), { timeouts: { keepaliveMs: 50 } });
    await connection.closed;
  });
});

function onSession(connection: Connection, onExec: (accept: () => { write(text: string): void }, reject: () => void) => void): void {
  connection.on("session", (acceptSession) => {
    acceptSession().on("exec", (accept, reject) => onExec(accept, reject));
  });
}

async function withConnection(server: FaultServer, use: (connection: SshConnection) => Promise<void>): Promise<void> {
  const connection = await connectSsh(server.target(), { timeouts: { execMs: 200 } });
  try {
    await use(connection);
  } finally {
    connection.close();
    await connection.closed;
  }
}
