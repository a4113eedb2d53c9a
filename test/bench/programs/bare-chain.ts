/**
 * As many bare Node processes as a message passes on its way, joined in the same manner, each of which reads a line, parses it and
 * writes it on: what a delivery costs on this machine if nobody does anything with it. `node bare-chain.mjs LINK...` is one link:
 * `send INBOX` and `dial HOST USER KEYFILE INBOX SOCKET` on the one host and `arrive SOCKET INBOX` on the other are started, and start the
 * others.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import { Client, type ClientChannel } from "ssh2";
import { LineReader } from "../../../src/core/line-reader.ts";
import { answerOrders } from "../support/orders.ts";
import type { Arrival } from "./crowd.ts";

export type ChainOrder =
  | { readonly op: "send"; readonly messages: number; readonly bytes: number; readonly pauseMs: number }
  /** What has arrived since it was last asked. */
  | { readonly op: "arrivals" };

const AUTH = '{"type":"auth","token":"b47df9aa6a41d2f21fe160972edbbd54"}\n';
const [link = "", ...places] = process.argv.slice(2);

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const lines = new LineReader({ maxBytes: 1_000_000, onLine, onOverflow: () => process.exit(1) });
  stream.on("data", (chunk: Buffer) => lines.push(chunk));
}

/** Read and made anew, as every process on the way must. */
function parsed(line: string): string {
  return `${JSON.stringify(JSON.parse(line))}\n`;
}

async function listen(socket: string, onLine: (line: string) => void): Promise<void> {
  fs.rmSync(socket, { force: true });
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    eachLine(client, onLine);
    client.on("end", () => client.end()).on("error", () => {});
  });
  await once(server.listen(socket), "listening");
}

/** As an inbox takes it: the token before the message. */
async function listenAsInbox(socket: string, onMessage: (line: string) => void): Promise<void> {
  await listen(socket, (line) => {
    const value = JSON.parse(line);
    if (value.type !== "auth") onMessage(line);
  });
}

/** As a session writes. */
function write(socket: string, line: string): void {
  const connection = net.connect({ path: socket, allowHalfOpen: true });
  connection.on("error", () => process.exit(1)).resume();
  connection.end(AUTH + line);
}

function child(...words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [process.argv[1] ?? "", ...words], { stdio: ["pipe", "pipe", "inherit"] });
}

function connectSsh(host: string, username: string, keyFile: string, command: string): Promise<ClientChannel> {
  const client = new Client();
  return new Promise((resolve, reject) => {
    client.on("error", reject);
    client.on("ready", () => {
      client.setNoDelay(true);
      client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)));
    });
    client.connect({ host, username, privateKey: fs.readFileSync(keyFile) });
  });
}

async function dial(host: string, user: string, keyFile: string, here: string, there: string): Promise<void> {
  const channel = await connectSsh(host, user, keyFile, `${process.execPath} ${process.argv[1]} serve ${there}`);
  const mirror = child("take", here);
  if (mirror.stdout) eachLine(mirror.stdout, (line) => channel.write(parsed(line)));
  await once(channel, "data");
  answerOrders(() => undefined);
}

async function send(socket: string, { messages, bytes, pauseMs }: ChainOrder & { op: "send" }): Promise<void> {
  for (let number = 1; number <= messages; number += 1) {
    const message = { sender: "chain", number, sentNs: String(process.hrtime.bigint()), text: "x".repeat(bytes) };
    write(socket, `${JSON.stringify(message)}\n`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function arrive(socket: string, inbox: string): Promise<void> {
  const arrivals: Arrival[] = [];
  await listenAsInbox(inbox, (line) => {
    const arrivedNs = String(process.hrtime.bigint());
    arrivals.push({ ...JSON.parse(line), arrivedNs });
  });
  const hub = child("hub", socket, inbox);
  if (hub.stdout) await once(hub.stdout, "data");
  answerOrders((_order: ChainOrder) => arrivals.splice(0));
}

/** The links between, which leave with their stdin. */
async function serve(socket: string): Promise<void> {
  const daemon = net.connect(socket);
  await once(daemon, "connect");
  process.stdout.write("ready\n");
  process.stdin.pipe(daemon);
}

async function hub(socket: string, inbox: string): Promise<void> {
  const mirror = child("deliver", inbox);
  await listen(socket, (line) => mirror.stdin?.write(parsed(line)));
  process.stdout.write("ready\n");
}

const [first = "", second = "", third = "", fourth = "", fifth = ""] = places;
if (link === "dial") await dial(first, second, third, fourth, fifth);
else if (link === "arrive") await arrive(first, second);
else if (link === "send") answerOrders((order: ChainOrder & { op: "send" }) => send(first, order));
else {
  process.stdin.on("end", () => process.exit());
  if (link === "serve") await serve(first);
  else if (link === "hub") await hub(first, second);
  else if (link === "deliver") eachLine(process.stdin, (line) => write(first, parsed(line)));
  else await listenAsInbox(first, (line) => process.stdout.write(parsed(line)));
  process.stdin.resume();
}
