import fs from "node:fs";
import path from "node:path";

const PROGRAM = `
const path = require("node:path");
const server = require("node:net").createServer();
server.listen(path.join(process.argv[2], process.pid + ".bare"), () => process.stdout.write("ready\\n"));
process.stdin.on("end", () => process.exit()).resume();
`;

/** Writes the least that could stand for a session: a Node program that listens on a socket in the directory it is given, and leaves with its stdin. */
export function writeBareListener(directory: string): string {
  const file = path.join(directory, "bare-listener.cjs");
  fs.writeFileSync(file, PROGRAM);
  return file;
}
