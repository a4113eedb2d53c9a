import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

/** The rooms from left to right: a room imports what is to its right, nothing to its left and nothing on its own level. */
const levels = [
  ["cli"],
  ["api"],
  ["peer", "hooks", "daemon", "selftest"],
  ["link", "ship"],
  ["mirror", "ssh"],
  ["members", "audit"],
  ["claude"],
  ["core"],
];
/** What the executable carries and nothing imports but the room that installs it. */
const CARRIED = "plugin";
const MAX_LINES = 300;

const source = path.join(import.meta.dirname, "..", "..", "src");
const files = fs
  .readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: fs.readFileSync(path.join(source, file), "utf8") }));

/** Static imports, exports from, imports for their effect and dynamic imports. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g;

function importsOf({ file, text }: { file: string; text: string }): string[] {
  return [...text.matchAll(IMPORT)].map(([, target = ""]) => path.normalize(path.join(path.dirname(file), target)));
}

function room(file: string): string {
  return file.split(path.sep)[0] ?? "";
}

function level(file: string): number {
  return levels.findIndex((rooms) => rooms.includes(room(file)));
}

const rooms = files.filter(({ file }) => file !== "main.ts" && room(file) !== CARRIED);

test("every file but main.ts is in a room that the drawing knows", () => {
  assert.deepEqual(
    rooms.map(({ file }) => file).filter((file) => level(file) === -1),
    [],
  );
});

test("imports go one way", () => {
  const wrong = rooms.flatMap((one) =>
    importsOf(one)
      .filter((target) => room(target) !== room(one.file) && room(target) !== CARRIED && level(target) <= level(one.file))
      .map((target) => `${one.file} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("imports of files of this project name files that exist", () => {
  const missing = files.flatMap((one) =>
    importsOf(one)
      .filter((target) => !fs.existsSync(path.join(source, target)))
      .map((target) => `${one.file} imports ${target}`),
  );
  assert.deepEqual(missing, []);
});

test("the imports are found", () => {
  const imports = files.flatMap(importsOf);
  assert.ok(imports.includes(path.join("cli", "command-line.ts")), "the dynamic import in main.ts");
  assert.ok(imports.includes(path.join("core", "errors.ts")), "a static import");
});

test(`no file is longer than ${MAX_LINES} lines`, () => {
  const long = files.filter(({ text }) => text.split("\n").length - 1 > MAX_LINES).map(({ file }) => file);
  assert.deepEqual(long, []);
});

test("no program is run by `promisify`, which does not work in the executable", () => {
  const wrong = files.filter(({ text }) => /promisify\((?:execFile|exec)\)/.test(text)).map(({ file }) => file);
  assert.deepEqual(wrong, []);
});

test("parts of Node are imported at the top: the executable has nowhere to load them from later", () => {
  const late = files.filter(({ text }) => /\bimport\(\s*["'](?:node:)?\w+["']\s*\)/.test(text)).map(({ file }) => file);
  assert.deepEqual(late, []);
});
