import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { connect } from "../../../src/ssh/system-ssh/connect.ts";
import { configurationOf, noSsh, sshEnvironment } from "./system-ssh-environment.ts";
import { transportContract } from "./transport-contract.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-system-ssh-"));
after(() => fs.rmSync(directory, { recursive: true }));

transportContract("ssh", (target, options) => connect(target, { ...options, env: sshEnvironment(directory, configurationOf(target)) }), {
  skip: noSsh,
  namesSignals: false,
});
