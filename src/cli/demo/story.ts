import { readRegistry } from "../../claude/registry.ts";
import { exitCodes } from "../../core/errors.ts";
import { processesIn } from "../../core/residents.ts";
import { type Cast, makeCast } from "./cast.ts";
import type { DemoMachine } from "./demo-machine.ts";
import type { DemoSession } from "./demo-session.ts";
import type { Narrator } from "./narrator.ts";
import { ccm, mustHold, type Stage, until } from "./stage.ts";
import { tracesIn } from "./traces.ts";

/** The steps in order. Rejects at the first thing that is not as it should be. */
export async function tellStory(stage: Stage): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const { narrator } = stage;
  narrator.title(
    "ccm: all Claude Code sessions on all your machines in one chat.",
    "This demo makes up two machines here and pairs them. Nothing of yours is read or changed.",
  );
  const cast = await makeMachines(stage, resources);
  await pairThem(cast);
  await listEveryone(cast);
  await talk(cast);
  await holdAndRelease(cast);
  await sendFromShell(cast);
  await part(cast);
}

async function makeMachines(stage: Stage, resources: AsyncDisposableStack): Promise<Cast> {
  const { narrator } = stage;
  narrator.begin("Two machines");
  const cast = await makeCast(stage, resources);
  const { laptop, server, sshServer } = cast;
  narrator.say(
    `laptop  a throwaway home, ${laptop.home}`,
    "        with a session called web-ui that stands in for Claude Code",
    `server  another, ${server.home}`,
    `        with a session called api, and an ssh server on port ${sshServer.port}`,
  );
  await ccm(cast, laptop, ["init", "--label", "laptop"], { shows: ["called laptop"] });
  await ccm(cast, server, ["init", "--label", "server"], { shows: ["called server"] });
  return cast;
}

async function pairThem(cast: Cast): Promise<void> {
  const { narrator, laptop, server } = cast;
  narrator.begin("One command pairs them");
  narrator.say("The server needs nothing but ssh: ccm is one file, and brings itself along.");
  await ccm(cast, laptop, ["pair", "server"], { shows: ["linked to server"] });
  await until(cast, "each machine to list the other's session", () => lists(laptop, "server-api") && lists(server, "laptop-web-ui"));
  await ccm(cast, laptop, ["status"], { shows: ["running", "linked"] });
}

async function listEveryone(cast: Cast): Promise<void> {
  const { narrator, laptop, server } = cast;
  narrator.begin("Both machines list every session");
  narrator.say("Claude Code's own ListAgents shows the same names.");
  await ccm(cast, laptop, ["roster"], { shows: ["web-ui", "server-api"] });
  await ccm(cast, server, ["roster"], { shows: ["api", "laptop-web-ui"] });
}

async function talk({ narrator, webUi, api }: Cast): Promise<void> {
  narrator.begin("Sessions write to each other");
  narrator.say("As with SendMessage: to a name, or back to the address that a message came from.");
  narrator.gap();
  const question = "Is GET /orders live?";
  await say(narrator, webUi, { name: "server-api" }, question);
  await hear(narrator, api, "laptop-web-ui", question);
  const { from: address } = await api.message(question);
  const answer = "Since this morning.";
  await say(narrator, api, { name: "laptop-web-ui", address }, answer);
  await hear(narrator, webUi, "server-api", answer);
}

async function holdAndRelease({ narrator, webUi, api }: Cast): Promise<void> {
  narrator.begin("A message that waits for somebody's yes");
  narrator.say("web-ui runs without asking for permission now; api asks. So api holds what web-ui");
  narrator.say("writes until its person has looked at it, and web-ui is told, across the machines.");
  narrator.gap();
  const text = "Drop the old tables.";
  const messageId = await say(narrator, webUi, { name: "server-api" }, text, "bypass");
  const held = await api.message(text);
  mustHold(held.isHeld, "api did not hold the message");
  narrator.session(api.name, "holds it and asks its person");
  await webUi.receipt(messageId, "held");
  narrator.session(webUi.name, "is told: held");
  await api.release(held.messageId);
  narrator.session(api.name, "has a yes and reads it");
  await webUi.receipt(messageId, "delivered");
  narrator.session(webUi.name, "is told: delivered");
}

async function sendFromShell(cast: Cast): Promise<void> {
  const { narrator, laptop, api } = cast;
  narrator.begin("People and scripts write too, and learn what became of it");
  const text = "The schema is merged.";
  await ccm(cast, laptop, ["send", "server-api", text], { shows: ["server-api"], tellsExit: true });
  const { fromName } = await api.message(text);
  narrator.gap();
  narrator.session(api.name, `hears from ${fromName}:`, text);
  await api.end();
  narrator.session(api.name, "ends");
  await until(cast, "the laptop to drop server-api from its list", () => !lists(laptop, "server-api"));
  await ccm(cast, laptop, ["send", "server-api", "Still there?"], {
    exitCode: exitCodes.no_such_member,
    shows: ["nobody here is called server-api"],
    tellsExit: true,
  });
}

async function part(cast: Cast): Promise<void> {
  const { narrator, directory, laptop, server, sshServer, webUi } = cast;
  narrator.begin("And gone again");
  await ccm(cast, laptop, ["unpair", "server"], { shows: ["no longer paired"] });
  await ccm(cast, laptop, ["down"], { shows: ["stopped"] });
  await ccm(cast, server, ["down"], { shows: ["stopped"] });
  await webUi.end();
  await sshServer.close();
  await until(cast, "every process to end", () => processesIn(directory).length === 0);
  const traces = tracesIn(directory);
  mustHold(traces.length === 0, `this was left behind: ${traces.join(", ")}`);
}

interface Addressee {
  readonly name: string;
  /** Used instead of the name, where there is one. */
  readonly address?: string;
}

async function say(narrator: Narrator, from: DemoSession, to: Addressee, text: string, mode?: "bypass"): Promise<string> {
  narrator.session(from.name, `writes to ${to.name}:`, text);
  const { messageId } = await from.send(to.address ?? to.name, text, mode);
  return messageId;
}

async function hear(narrator: Narrator, receiver: DemoSession, fromName: string, text: string): Promise<void> {
  const message = await receiver.message(text);
  mustHold(message.fromName === fromName, `${receiver.name} was told that this is from ${message.fromName}, not from ${fromName}`);
  narrator.session(receiver.name, `hears from ${fromName}:`, text);
}

function lists({ paths }: DemoMachine, name: string): boolean {
  return readRegistry(paths.claudeConfig).some(({ record, unreachable }) => record?.name === name && !unreachable);
}
