import fs from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { spoolDirectory } from "../../../src/claude/attachments/spool.ts";
import { pairOfMachines } from "../../support/pair-of-machines.ts";
import type { TestMachine } from "../../support/test-machine.ts";

export async function pairWithFiles(context: TestContext, config = {}) {
  const machines = await pairOfMachines(context, config);
  const { laptop } = machines;
  const put = (name: string, content: Buffer) => {
    const file = path.join(laptop.paths.home, name);
    fs.writeFileSync(file, content);
    return file;
  };
  const spooled = (machine: TestMachine) => {
    const spool = spoolDirectory(machine.paths.claudeConfig);
    return fs.existsSync(spool) ? fs.readdirSync(spool) : [];
  };
  return { ...machines, put, spooled };
}
