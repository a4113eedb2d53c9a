import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensurePrivateDirectory, writePrivateFile } from "../../core/private-file.ts";
import { askManager, tellManager } from "./run-manager.ts";
import type { ServiceManager, ServiceProgram, ServiceState } from "./service-manager.ts";
import { systemdUnit } from "./systemd-unit.ts";

const LINGERING_USERS = "/var/lib/systemd/linger";

/** A user's own systemd: no root, no file outside the home. */
export class SystemdManager implements ServiceManager {
  readonly name = "systemd";
  readonly file: string;
  readonly #unit: string;

  /** `suffix` tells a second Claude config directory's daemon from the first one's. */
  constructor(configHome: string, suffix: string) {
    this.#unit = `ccm${suffix}.service`;
    this.file = path.join(configHome, "systemd", "user", this.#unit);
  }

  async install(program: ServiceProgram): Promise<void> {
    ensurePrivateDirectory(path.dirname(this.file));
    writePrivateFile(this.file, systemdUnit(program), 0o644);
    await tellManager("systemctl", ["--user", "daemon-reload"]);
    await tellManager("systemctl", ["--user", "enable", this.#unit]);
    await tellManager("systemctl", ["--user", "restart", this.#unit]);
  }

  async uninstall(): Promise<boolean> {
    if (!fs.existsSync(this.file)) return false;
    await askManager("systemctl", ["--user", "disable", "--now", this.#unit]);
    fs.rmSync(this.file, { force: true });
    await askManager("systemctl", ["--user", "daemon-reload"]);
    return true;
  }

  async start(): Promise<void> {
    await tellManager("systemctl", ["--user", "start", this.#unit]);
  }

  async state(): Promise<ServiceState> {
    if (!fs.existsSync(this.file)) return { installed: false, running: false, detail: "not installed" };
    const { stdout, stderr } = await askManager("systemctl", ["--user", "is-active", this.#unit]);
    const detail = stdout.trim() || stderr.trim().split("\n")[0] || "unknown";
    return { installed: true, running: detail === "active", detail };
  }

  async advice(): Promise<readonly string[]> {
    const user = os.userInfo().username;
    const lines = [`its log: journalctl --user --unit ${this.#unit}`];
    if (!fs.existsSync(path.join(LINGERING_USERS, user))) {
      lines.push(`it ends with your last login; to have it run always: loginctl enable-linger ${user}`);
    }
    return lines;
  }
}
