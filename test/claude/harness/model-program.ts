/**
 * The stand-in model for the sessions of a host: `node model-program.mjs PORT DIRECTORY`. Each session's turns go to a file of its own,
 * DIRECTORY/SESSION.jsonl, one a line.
 */
import fs from "node:fs";
import path from "node:path";
import { StandInModel } from "../../../src/selftest/stand-in-model.ts";

const [port, directory = "."] = process.argv.slice(2);
await StandInModel.start({
  port: Number(port),
  onTurn: (session, turn) => fs.appendFileSync(path.join(directory, `${session}.jsonl`), `${JSON.stringify(turn)}\n`),
});
console.log("ready");
