import ssh2 from "ssh2";
import { DemoMachine } from "./demo-machine.ts";
import { DemoSession } from "./demo-session.ts";
import { type SshServer, startSshServer } from "./ssh-server.ts";
import type { Stage } from "./stage.ts";

/** Two machines, a way between them, and who is there. */
export interface Cast extends Stage {
  readonly laptop: DemoMachine;
  readonly server: DemoMachine;
  readonly sshServer: SshServer;
  /** On the laptop. */
  readonly webUi: DemoSession;
  /** On the server. */
  readonly api: DemoSession;
}

/** The ssh server is closed with `resources`; the sessions are ended by whoever removes the directory. */
export async function makeCast(stage: Stage, resources: AsyncDisposableStack): Promise<Cast> {
  const { directory, signal } = stage;
  const laptop = new DemoMachine(directory, "laptop");
  const server = new DemoMachine(directory, "server");
  const clientKey = ssh2.utils.generateKeyPairSync("ed25519");
  const sshServer = await startSshServer(server, clientKey.public);
  resources.defer(() => sshServer.close());
  prepareSsh(laptop, sshServer, clientKey.private);
  const [webUi, api] = await Promise.all([DemoSession.start("web-ui", laptop, signal), DemoSession.start("api", server, signal)]);
  return { ...stage, laptop, server, sshServer, webUi, api };
}

/** As by a person who has logged in there before. */
function prepareSsh(laptop: DemoMachine, { host, port, user, hostKey }: SshServer, privateKey: string): void {
  const identityFile = laptop.writeSshFile("id_ed25519", privateKey);
  const knownHostsFile = laptop.writeSshFile("known_hosts", `[${host}]:${port} ${hostKey}\n`);
  laptop.writeSshProgram([
    `hostname ${host}`,
    `port ${port}`,
    `user ${user}`,
    `identityfile ${identityFile}`,
    "identitiesonly yes",
    "identityagent none",
    `userknownhostsfile ${knownHostsFile}`,
  ]);
}
