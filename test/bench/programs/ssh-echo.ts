/** `node ssh-echo.mjs HOST USER KEYFILE`: one ssh channel to a `cat` there, and how long lines take through it and back. */
import fs from "node:fs";
import { Client, type ClientChannel } from "ssh2";
import { LineReader } from "../../../src/core/line-reader.ts";
import { answerOrders } from "../support/orders.ts";

export type EchoOrder =
  /** Half the time of each line's way there and back, in ms; one line after the other. */
  | { readonly op: "echo"; readonly lines: number; readonly bytes: number; readonly pauseMs: number }
  /** The time until the last of many lines that are written at once is back, in ms. */
  | { readonly op: "burst"; readonly lines: number; readonly bytes: number };

const [host = "", username = "", keyFile = ""] = process.argv.slice(2);
let onLine = (): void => {};

function openCat(): Promise<ClientChannel> {
  const client = new Client();
  return new Promise((resolve, reject) => {
    client.on("error", reject);
    client.on("ready", () => {
      client.setNoDelay(true);
      client.exec("cat", (error, channel) => (error ? reject(error) : resolve(channel)));
    });
    client.connect({ host, username, privateKey: fs.readFileSync(keyFile) });
  });
}

/** Settles when `lines` lines have come back. */
function exchange(lines: number, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    let left = lines;
    onLine = () => {
      left -= 1;
      if (left === 0) resolve();
    };
    for (let count = 0; count < lines; count += 1) channel.write(`${"x".repeat(bytes - 1)}\n`);
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function obey(order: EchoOrder): Promise<readonly number[]> {
  if (order.op === "burst") return [await timed(() => exchange(order.lines, order.bytes))];
  const oneWayMs: number[] = [];
  for (let count = 0; count < order.lines; count += 1) {
    oneWayMs.push((await timed(() => exchange(1, order.bytes))) / 2);
    await new Promise((resolve) => setTimeout(resolve, order.pauseMs));
  }
  return oneWayMs;
}

const channel = await openCat();
const lines = new LineReader({ maxBytes: 1_000_000, onLine: () => onLine(), onOverflow: () => process.exit(1) });
channel.on("data", (chunk: Buffer) => lines.push(chunk));
answerOrders(obey);
