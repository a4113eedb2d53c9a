import assert from "node:assert/strict";
import { test } from "node:test";
import { MirrorNames } from "../../../src/members/mirror-names.ts";

function names(...taken: string[]): MirrorNames {
  return new MirrorNames((name) => taken.includes(name));
}

test("a mirror is called by its machine's label and its session's name", () => {
  assert.equal(names().claim("m1 1.1", "server", "api"), "server-api");
});

test("N1 two sessions of one name are told apart, and each is called the same after a restart", () => {
  const first = names();
  const [one, two] = [first.claim("m1 1.1", "server", "api"), first.claim("m1 2.2", "server", "api")];
  assert.equal(one, "server-api");
  assert.match(two, /^server-api-[0-9a-f]{4}$/);
  const second = names();
  assert.deepEqual([second.claim("m1 1.1", "server", "api"), second.claim("m1 2.2", "server", "api")], [one, two]);
});

test("N1 a label that makes a-b and c look like a and b-c", () => {
  const all = names();
  assert.equal(all.claim("m1 1.1", "a-b", "c"), "a-b-c");
  assert.match(all.claim("m2 1.1", "a", "b-c"), /^a-b-c-[0-9a-f]{4}$/);
});

test("N1 a name that a session of this machine has is taken", () => {
  assert.match(names("server-api").claim("m1 1.1", "server", "api"), /^server-api-[0-9a-f]{4}$/);
});

test("a name is free again when its member has another", () => {
  const all = names();
  all.claim("m1 1.1", "server", "api");
  all.claim("m1 1.1", "server", "web");
  assert.equal(all.claim("m1 2.2", "server", "api"), "server-api");
});

test("N2 N3 whatever a session is called, its mirror's name is one line that the envelope takes", () => {
  const all = names();
  const given = [
    "/deploy",
    "..",
    "a b",
    'x"y<z>',
    "new\nline",
    "作业-1",
    "😀".repeat(200),
    "uds:/x",
    "name [ref]",
    "",
    "\u001b[31mred\u0007",
  ];
  const claimed = given.map((name, index) => all.claim(`m ${index}`, "gpu", name));
  assert.deepEqual(claimed.slice(0, 6), ["gpu-/deploy", "gpu-..", "gpu-a b", "gpu-xyz", "gpu-new line", "gpu-作业-1"]);
  assert.deepEqual(claimed.slice(7, 9), ["gpu-uds:/x", "gpu-name [ref]"]);
  assert.match(claimed[9] ?? "", /^gpu-[0-9a-f]{6}$/);
  assert.equal(claimed[10], "gpu-red");
  for (const name of claimed) {
    assert.ok(Array.from(name).length <= 80, name);
    assert.doesNotMatch(name, /["<>\p{Cc}]/u);
  }
});
