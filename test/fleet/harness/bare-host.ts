import { spawnSync } from "node:child_process";
import path from "node:path";
import type { Host } from "../../hosts/harness/host.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { requireTool } from "../../hosts/harness/prerequisites.ts";

const BASIC = ["sh", "tar", "gzip", "uname", "mkdir", "rm", "rmdir", "cp", "mv", "chmod", "sha256sum", "ssh"];
const TOOLS = "/run/user/1500/tools";

/** On a host whose person finds these few programs, one that fetches, and `~/.local/bin`. */
export class BareHost {
  readonly host: Host;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(host: Host, env: NodeJS.ProcessEnv) {
    this.host = host;
    this.#env = env;
  }

  static async on(host: Host, fetcher: "curl" | "wget", certificate: string): Promise<BareHost> {
    const links = [...BASIC, fetcher].map((name) => `ln -s "$(command -v ${name})" ${TOOLS}/${name}`);
    await host.exec("/bin/sh", ["-c", `mkdir ${TOOLS} && ${links.join(" && ")}`]);
    // Only the test's own authority is trusted, in each program's own way.
    host.putFile(".wgetrc", `ca_certificate = ${certificate}\n`);
    const env = { PATH: `${host.home}/.local/bin:${TOOLS}`, CURL_CA_BUNDLE: certificate, NODE_EXTRA_CA_CERTS: certificate };
    return new BareHost(host, env);
  }

  async run(command: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.attempt(command, ...args);
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} on ${this.host.name} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  attempt(command: string, ...args: string[]): ReturnType<Host["exec"]> {
    return this.host.exec(command, args, { env: this.#env, timeoutMs: 120_000 });
  }

  /** Every file and directory in its home. */
  async files(): Promise<string[]> {
    const { stdout } = await this.host.exec("find", [this.host.home, "-mindepth", "1"]);
    return stdout.trimEnd().split("\n").sort();
  }
}

/** Starts a host that serves `site` over https; the certificate for it is at the returned path on all hosts. */
export async function serveReleases(network: Network, site: string): Promise<{ address: string; certificate: string }> {
  const host = await network.host("releases");
  const [key, certificate] = ["releases.key", "releases.crt"].map((name) => path.join(network.directory, name)) as [string, string];
  const subject = ["-subj", "/CN=releases", "-addext", "subjectAltName=DNS:releases"];
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", certificate];
  const { status, stderr } = spawnSync(requireTool("openssl"), words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  const program = network.share(path.join(import.meta.dirname, "release-server.ts"), "release-server.ts");
  await host.spawn(network.node, [program, site, key, certificate], { user: "root" }).waitOutput(/ready/);
  return { address: "https://releases:8443", certificate };
}
