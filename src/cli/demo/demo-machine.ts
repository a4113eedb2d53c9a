import fs from "node:fs";
import path from "node:path";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { shellWord } from "../../members/member-address.ts";

/** Where sshd's own default looks for programs; after it, where this system may keep them instead. */
const SYSTEM_PATH = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/** A machine that is only a home: everything that a program finds by its environment is in there. */
export class DemoMachine {
  readonly label: string;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly paths: Paths;

  constructor(root: string, label: string) {
    this.label = label;
    this.home = path.join(root, label);
    const runtime = path.join(this.home, ".run");
    const programs = path.join(this.home, "bin");
    for (const directory of [this.home, runtime, programs]) fs.mkdirSync(directory, { mode: 0o700 });
    const own = (process.env.PATH ?? "").split(path.delimiter).filter(path.isAbsolute);
    // From nothing, so that no variable of the person leads out of here.
    this.environment = {
      HOME: this.home,
      XDG_RUNTIME_DIR: runtime,
      TMPDIR: runtime,
      PATH: [...new Set([programs, ...SYSTEM_PATH, ...own])].join(path.delimiter),
      USER: "demo",
      LOGNAME: "demo",
      LC_ALL: "C",
    };
    this.paths = resolvePaths(this.environment);
  }

  /** Where a session works; made at the first call. */
  projectDirectory(name: string): string {
    const directory = path.join(this.home, name);
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return directory;
  }

  writeSshFile(name: string, content: string): string {
    const directory = path.join(this.home, ".ssh");
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = path.join(directory, name);
    fs.writeFileSync(file, content, { mode: 0o600 });
    return file;
  }

  /**
   * Puts an `ssh` before the system's that answers `ssh -G` with these settings for every host, which is all that ccm asks it. The
   * system's own reads the configuration of the account and not of $HOME, and need not be installed.
   */
  writeSshProgram(settings: readonly string[]): void {
    const words = settings.map(shellWord).join(" ");
    fs.writeFileSync(path.join(this.home, "bin", "ssh"), `#!/bin/sh\nprintf '%s\\n' ${words}\n`, { mode: 0o700 });
  }
}
