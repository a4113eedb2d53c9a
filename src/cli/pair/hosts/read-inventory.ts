import path from "node:path";
import { CcmError, systemErrorCode } from "../../../core/errors.ts";
import { plainLine } from "../../../core/plain-text.ts";
import { runProgram } from "../../../core/run-program.ts";
import { type Inventory, parseInventory } from "./inventory.ts";
import { nameOfSource, readSource } from "./read-source.ts";

const COMMAND = "ansible-inventory";
/** An inventory may be a program that asks a cloud. */
const TIMEOUT_MS = 120_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * An ansible inventory of any kind, as ansible itself reads it; what `ansible-inventory --list` has printed needs no ansible here. Rejects
 * with `usage`.
 */
export async function readInventory(file: string): Promise<Inventory> {
  const printed = await readPrinted(file);
  if (printed) return printed;
  const inventory = parseInventory(await printInventory(file));
  if (inventory) return inventory;
  throw new CcmError("usage", `${COMMAND} printed no inventory for ${plainLine(nameOfSource(file), 100)}`);
}

/** What ansible has printed before; undefined for what ansible has to read: a directory, a program, INI or YAML. */
async function readPrinted(file: string): Promise<Inventory | undefined> {
  const isForAnsible = (error: unknown) => error instanceof CcmError && systemErrorCode(error.cause) === "EISDIR";
  try {
    const printed = parseInventory(await readSource(file));
    if (printed || file !== "-") return printed;
  } catch (error) {
    if (isForAnsible(error)) return undefined;
    throw error;
  }
  throw new CcmError("usage", "stdin is not what ansible-inventory --list prints", {
    hint: "write: ansible-inventory --list | ccm pair --inventory -",
  });
}

async function printInventory(file: string): Promise<string> {
  const environment = { ...process.env, ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED: "1", ANSIBLE_NOCOLOR: "1" };
  try {
    // Absolute, it cannot be taken for an option.
    const source = path.resolve(file);
    const { stdout } = await runProgram(COMMAND, ["--list", "-i", source], { env: environment, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES });
    return stdout;
  } catch (error) {
    throw systemErrorCode(error) === "ENOENT" ? noAnsible(file, error) : notRead(file, error);
  }
}

function noAnsible(file: string, cause: unknown): CcmError {
  return new CcmError("usage", `${plainLine(file, 100)} is for ansible to read, and there is no ${COMMAND} here`, {
    hint: `where ansible is: ${COMMAND} --list -i FILE > fleet.json; then here: ccm pair --inventory fleet.json; or list the hosts: ccm pair --hosts FILE`,
    cause,
  });
}

function notRead(file: string, cause: unknown): CcmError {
  const { stderr = "", message } = cause as { stderr?: string; message: string };
  return new CcmError("usage", `${COMMAND} cannot read ${plainLine(file, 100)}: ${plainLine(stderr || message, 400)}`, { cause });
}
