import { ccm, ccmExecutable } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { fetchClaude } from "./fetch-claude.ts";

/** Puts `ccm` and `claude` on a host's PATH and has `ccm init` install the plugin. */
export async function installChat(network: Network, host: Host, version: string): Promise<void> {
  host.installCcm(ccmExecutable);
  const claude = network.share(await fetchClaude(version), `claude/${version}/claude`);
  host.putFile(".local/bin/claude", `#!/bin/sh\nexec ${claude} "$@"\n`, 0o755);
  await ccm(host, "init", "--label", host.name);
}
