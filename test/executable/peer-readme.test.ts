import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { peerInput } from "../../src/peer/schema/input.ts";
import { peerOutput } from "../../src/peer/schema/output.ts";
import { executable, notBuilt } from "../support/built-executable.ts";
import { eventually } from "../support/eventually.ts";
import { ChatHome } from "../unit/cli/fixtures/chat-home.ts";
import { listedNames } from "../unit/peer/home-of-peers.ts";
import { PeerUnderTest } from "../unit/peer/peer-under-test.ts";

const page = fs.readFileSync(path.join(import.meta.dirname, "..", "..", "src", "peer", "README.md"), "utf8");

function example(language: string): string {
  const [, code] = page.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms")) ?? [];
  assert.ok(code, language);
  return code;
}

function withCcm({ environment }: ChatHome): NodeJS.ProcessEnv {
  return { ...environment, PATH: `${path.dirname(executable)}:${process.env["PATH"]}` };
}

const missing = (tool: string) => (spawnSync(tool, ["--version"]).status === 0 ? false : `no ${tool} here`);

for (const [language, program, tools] of [
  ["python", ["python3", "-c"], ["python3"]],
  ["bash", ["bash", "-c"], ["bash", "jq"]],
] as const) {
  const skip = tools.map(missing).find((reason) => reason !== false) ?? notBuilt;
  test(`the page's bot in ${language} answers, and ends when told to`, { skip }, async (t) => {
    const home = new ChatHome(t);
    const person = await PeerUnderTest.start(t, home, ["--name", "person"], executable);
    const [file, option] = program;
    const bot = spawn(file, [option, example(language)], { env: withCcm(home), stdio: ["ignore", "ignore", "inherit"] });
    const ended = once(bot, "close");
    await eventually(() => listedNames(home).includes("echo-bot"), { deadlineMs: 15_000 });
    for (const text of ["hello", "leave"]) {
      await person.command({ op: "send", to: "echo-bot", text });
      await person.event("message", (message) => message.text === `you said: ${text}`);
    }
    await ended;
    await eventually(() => !listedNames(home).includes("echo-bot"));
  });
}

test("the page's one line for a shell writes a message", { skip: notBuilt }, async (t) => {
  const home = new ChatHome(t);
  const api = await PeerUnderTest.start(t, home, ["--name", "api"], executable);
  const shell = spawn("/bin/sh", ["-c", example("sh")], { env: withCcm(home), stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(shell, "close");
  const { name, text } = await api.event("message");
  assert.deepEqual([name, text], ["build-bot", "the build is green"]);
  await ended;
});

for (const [heading, kinds] of [
  ["Commands", peerInput.options.map((option) => option.shape.op.value)],
  ["Events", peerOutput.options.map((option) => option.shape.event.value)],
] as const) {
  test(`the page names every one of the ${heading.toLowerCase()}, and no other`, () => {
    const [section = ""] = page.split(`## ${heading}\n`).slice(1).join("").split("\n## ");
    const named = [...section.matchAll(/^\| ([^|]+) \|/gm)]
      .slice(2)
      .flatMap(([, cell = ""]) => [...cell.matchAll(/`([a-z]+)`/g)].map(([, word]) => word));
    assert.deepEqual(named.sort(), [...kinds].sort());
  });
}
