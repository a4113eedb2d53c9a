import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensurePrivateDirectory, writePrivateFile } from "../../core/private-file.ts";
import { launchdAgent } from "./launchd-agent.ts";
import { askManager, tellManager } from "./run-manager.ts";
import type { ServiceManager, ServiceProgram, ServiceState } from "./service-manager.ts";

const LAUNCHCTL = "/bin/launchctl";

export class LaunchdManager implements ServiceManager {
  readonly name = "launchd";
  readonly file: string;
  readonly #label: string;
  readonly #logFile: string;

  constructor(home: string, suffix: string, logFile: string) {
    this.#label = `claude-code-message${suffix}`;
    this.#logFile = logFile;
    this.file = path.join(home, "Library", "LaunchAgents", `${this.#label}.plist`);
  }

  async install(program: ServiceProgram): Promise<void> {
    ensurePrivateDirectory(path.dirname(this.file));
    writePrivateFile(this.file, launchdAgent(this.#label, program), 0o644);
    // One that is loaded keeps its old definition.
    await askManager(LAUNCHCTL, ["bootout", this.#service]);
    await tellManager(LAUNCHCTL, ["bootstrap", domain(), this.file]);
  }

  async uninstall(): Promise<boolean> {
    if (!fs.existsSync(this.file)) return false;
    await askManager(LAUNCHCTL, ["bootout", this.#service]);
    fs.rmSync(this.file, { force: true });
    return true;
  }

  async start(): Promise<void> {
    await tellManager(LAUNCHCTL, ["kickstart", this.#service]);
  }

  async state(): Promise<ServiceState> {
    if (!fs.existsSync(this.file)) return { installed: false, running: false, detail: "not installed" };
    const { ok, stdout } = await askManager(LAUNCHCTL, ["print", this.#service]);
    const detail = ok ? (/^\s*state = (.+)$/m.exec(stdout)?.[1] ?? "loaded") : "not loaded";
    return { installed: true, running: detail === "running", detail };
  }

  async advice(): Promise<readonly string[]> {
    return [`its log: ${this.#logFile}`, "it runs while you are logged in"];
  }

  get #service(): string {
    return `${domain()}/${this.#label}`;
  }
}

function domain(): string {
  return `gui/${os.userInfo().uid}`;
}
