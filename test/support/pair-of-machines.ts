import type { TestContext } from "node:test";
import type { ConfigFile } from "../../src/daemon/config.ts";
import { TestMachine } from "./test-machine.ts";

/** A laptop that has dialled a server, both in this process: `web-ui` on the one and `api` on the other. */
export async function pairOfMachines(
  context: TestContext,
  config: Partial<ConfigFile> = {},
  prepare: (machine: TestMachine) => void = () => {},
) {
  const laptop = new TestMachine(context, "laptop", config);
  const server = new TestMachine(context, "server", config);
  for (const machine of [laptop, server]) prepare(machine);
  await Promise.all([laptop.start(), server.start()]);
  const [webUi, api] = await Promise.all([laptop.session("web-ui"), server.session("api")]);
  await laptop.pair(server);
  await Promise.all([laptop.mirror("server-api"), server.mirror("laptop-web-ui")]);
  return { laptop, server, webUi, api };
}
