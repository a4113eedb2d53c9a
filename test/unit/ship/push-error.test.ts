import assert from "node:assert/strict";
import { test } from "node:test";
import { pushError } from "../../../src/ship/push-error.ts";

test("S8 each reason why an installation fails has its own message and its own advice", () => {
  const cases: [number, string, RegExp, RegExp][] = [
    [1, "gzip: stdout: No space left on device", /its disk is full/, /free space/],
    [1, "cat: write error: Disk quota exceeded", /over its quota/, /free space/],
    [1, "mkdir: cannot create directory: Read-only file system", /read-only/, /XDG_CACHE_HOME/],
    [1, "mkdir: cannot create directory '/home/x/.cache': Permission denied", /may not write/, /writable/],
    [126, "/bin/sh: 1: /home/x/.incoming: Permission denied", /may not run there/, /noexec/],
    [127, "/bin/sh: 1: gzip: not found", /no gzip/, /install gzip/],
    [127, "/bin/sh: 1: /home/x/.incoming: not found", /does not start/, /lacks/],
    [126, ".incoming: cannot execute binary file: Exec format error", /another processor/, /release/],
    [1, ".incoming: /lib/libc.so.6: version `GLIBC_2.28' not found", /C library is too old/, /newer system/],
    [127, ".incoming: error while loading shared libraries: libatomic.so.1: cannot open", /no libatomic/, /install libatomic1/],
    [40, "what arrived is damaged: SHA-256 1, expected 2", /damaged/, /try again/],
    [3, "", /installing it failed there \(exit 3\)/, /check/],
  ];
  for (const [code, stderr, message, hint] of cases) {
    const error = pushError("me@host:22", { code, signal: undefined }, stderr);
    assert.equal(error.code, "push_failed");
    assert.match(error.message, message);
    assert.match(error.message, /me@host:22/);
    assert.match(error.hint ?? "", hint);
  }
});

test("the words of the other machine are one inert line", () => {
  const error = pushError("host", { code: 1, signal: undefined }, "\u001b[31mone\ntwo\u0007\u202e\n");
  assert.match(error.message, /\(one two\)/);
});

test("a signal is named, and the end of the connection is no failure of the other machine", () => {
  assert.match(pushError("host", { code: undefined, signal: "SIGKILL" }, "").message, /signal SIGKILL/);
  assert.match(pushError("host", { code: undefined, signal: undefined }, "noise").message, /connection to host ended during the upload/);
});
