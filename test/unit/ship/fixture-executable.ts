import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { executableAt, type OwnExecutable } from "../../../src/ship/own-executable.ts";
import type { TestSshd } from "../ssh/start-sshd.ts";

/** A small script that behaves as the real executable does for `serve` and `settle`: serve echoes. */
const SCRIPT = `#!/bin/sh
case "$1" in
  serve)
    echo "warming up" >&2
    printf "ccm-%s\\nfirst bytes" "$3"
    exec cat ;;
  settle)
    if [ "$2" = patch ]; then exec ${process.execPath} ${path.join(import.meta.dirname, "patch-fixture.ts")} "$0" "$3" "$4" "$5"; fi
    sum=$(sha256sum "$0"); sum=\${sum%% *}
    if [ "$sum" != "$2" ]; then echo "what arrived is damaged" >&2; exit 40; fi
    mv "$0" "$(dirname "$0")/$3" ;;
esac
`;

export interface FixtureExecutable extends Disposable {
  readonly executable: OwnExecutable;
  readonly cacheDirectory: string;
}

/** `paddingBytes` of what does not compress, so that an upload takes more than one packet. */
export function fixtureExecutable(
  options: {
    readonly script?: string;
    readonly paddingBytes?: number;
    readonly platform?: string;
    readonly buildId?: string;
    /** Differs from this one in one byte. */
    readonly like?: FixtureExecutable;
  } = {},
): FixtureExecutable {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-ship-"));
  const file = path.join(directory, "ccm");
  fs.writeFileSync(file, `${options.script ?? SCRIPT}exit\n`, { mode: 0o700 });
  if (options.paddingBytes) fs.appendFileSync(file, crypto.getRandomValues(new Uint8Array(Math.min(options.paddingBytes, 65_536))));
  for (let written = 65_536; written < (options.paddingBytes ?? 0); written += 65_536) {
    fs.appendFileSync(file, crypto.getRandomValues(new Uint8Array(65_536)));
  }
  if (options.like) {
    const content = fs.readFileSync(options.like.executable.file);
    content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
    fs.writeFileSync(file, content);
  }
  const platform = options.platform ?? `${process.platform}-${process.arch}`;
  return {
    executable: executableAt(file, { version: "1.2.3", buildId: options.buildId ?? "0123abcd", platform }),
    cacheDirectory: path.join(directory, "cache"),
    [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}

/** Everything in the directory of executables on the other machine; undefined where there is none. */
export function installed(sshd: TestSshd): string[] | undefined {
  const directory = path.join(sshd.home, ".cache", "claude-code-message", "bin");
  return fs.existsSync(directory) ? fs.readdirSync(directory).sort() : undefined;
}

export const FINAL_NAME = "ccm-1.2.3-0123abcd";
