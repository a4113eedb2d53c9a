import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSend } from "../../../src/cli/send/parse-send.ts";

test("words are the name and the text, joined by a space", () => {
  assert.deepEqual(parseSend(["api", "the", "schema  is", "merged"]), { name: "api", text: "the schema  is merged", json: false });
});

test("no text and a lone dash mean stdin", () => {
  assert.equal(parseSend(["api"]).text, undefined);
  assert.equal(parseSend(["api", "-"]).text, undefined);
  assert.equal(parseSend(["api", "-", "b"]).text, "- b");
});

test("an option may stand before, after or between name and text", () => {
  for (const words of [
    ["--json", "api", "hi"],
    ["api", "--json", "hi"],
    ["api", "hi", "--json"],
  ]) {
    assert.deepEqual(parseSend(words), { name: "api", text: "hi", json: true });
  }
});

test("behind -- everything is name and text", () => {
  assert.deepEqual(parseSend(["--json", "--", "-x", "--json", "is", "--strict"]), { name: "-x", text: "--json is --strict", json: true });
});

test("--wait may have a number of seconds behind =; one apart from it is refused, since it would be the name or text", () => {
  assert.equal(parseSend(["api", "hi"]).waitMs, undefined);
  assert.equal(parseSend(["--wait", "api", "hi"]).waitMs, 5_000);
  assert.deepEqual(parseSend(["api", "--wait=0.5", "hi"]), { name: "api", text: "hi", json: false, waitMs: 500 });
  for (const words of [
    ["--wait", "30", "api", "hi"],
    ["api", "--wait", "30", "hi"],
  ]) {
    assert.throws(() => parseSend(words), { code: "usage", hint: "write --wait=30, or -- before the text" });
  }
  for (const value of ["", "x", "-1", "0", "1e9", "99999"]) assert.throws(() => parseSend([`--wait=${value}`, "api"]), { code: "usage" });
  assert.throws(() => parseSend(["api", "please", "--wait", "here"]), { code: "usage" });
});

test("N2 a name that looks like a path, markup or an address is only a name", () => {
  for (const name of ["/deploy", "..", "a b", 'x"y<z>', "作业-1", "uds:/x", "name [ref]"]) assert.equal(parseSend([name, "hi"]).name, name);
});

test("what could be an option or text is refused instead of swallowed", () => {
  assert.throws(() => parseSend(["api", "use", "--json", "there"]), {
    code: "usage",
    message: "send: is --json an option or part of the text?",
  });
  assert.throws(() => parseSend(["api", "hi", "--jsn"]), { code: "usage", hint: "did you mean: --json" });
  assert.throws(() => parseSend(["api", "-rf"]), { code: "usage", message: "send: there is no option -r" });
  assert.throws(() => parseSend(["api", "--json=yes", "hi"]), { code: "usage", message: "send: --json takes no value" });
  assert.throws(() => parseSend([]), { code: "usage" });
  assert.throws(() => parseSend(["", "hi"]), { code: "usage" });
});
