import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A home of nobody on this machine; `using` removes it. Its path is short enough for sockets. */
export class ScratchHome implements Disposable {
  readonly directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "b-")));
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    const runtime = path.join(this.directory, "run");
    fs.mkdirSync(runtime, { mode: 0o700 });
    this.env = { PATH: process.env["PATH"], HOME: this.directory, XDG_RUNTIME_DIR: runtime };
  }

  get claudeConfig(): string {
    return path.join(this.directory, ".claude");
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}
