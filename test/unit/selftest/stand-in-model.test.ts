import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOLD_ORDER } from "../../../src/selftest/model-turn.ts";
import { StandInModel } from "../../../src/selftest/stand-in-model.ts";

async function ask(model: StandInModel, session: string, text: string, tools: readonly object[] = [{ name: "Bash" }]): Promise<string> {
  const body = JSON.stringify({ model: "some-model", stream: true, tools, messages: [{ role: "user", content: text }] });
  const response = await fetch(`${model.urlFor(session)}/v1/messages`, { method: "POST", body });
  return await response.text();
}

test("the stand-in model calls the tool that a text orders, and keeps what each session told it", async () => {
  const model = await StandInModel.start();
  try {
    assert.match(await ask(model, "one", 'please CALL Bash {"command":"env"} END'), /"type":"tool_use".*"name":"Bash"/);
    assert.match(await ask(model, "two", "hello"), /"text":"ok 2"/);
    await ask(model, "two", "what is this session about?", []);
    assert.deepEqual(
      model.turns("two").map(({ texts }) => texts),
      [["hello"]],
      "a side question, which has no tools, is no turn",
    );
    assert.equal(model.turns("one").length, 1);
  } finally {
    await model.close();
  }
});

test("a turn that is ordered to be held ends when it is released", async () => {
  const model = await StandInModel.start();
  try {
    let isAnswered = false;
    const answer = ask(model, "one", HOLD_ORDER).then(() => {
      isAnswered = true;
    });
    assert.match(await ask(model, "two", "meanwhile"), /ok/);
    assert.equal(isAnswered, false);
    model.release("one");
    await answer;
  } finally {
    await model.close();
  }
});

test("nothing gets out through it as a proxy", async () => {
  const model = await StandInModel.start();
  try {
    const { host, port } = { host: "127.0.0.1", port: Number(new URL(model.origin).port) };
    const http = process.getBuiltinModule("node:http");
    const status = await new Promise((resolve, reject) => {
      const request = http.request({ host, port, method: "CONNECT", path: "example.com:443" });
      request.once("connect", ({ statusCode }, socket) => {
        socket.destroy();
        resolve(statusCode);
      });
      request.once("error", reject).end();
    });
    assert.equal(status, 403);
  } finally {
    await model.close();
  }
});
