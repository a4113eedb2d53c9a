import { buildInfo, linkProtocol } from "./build-info.ts";

/** What `ccm --version` prints: all that tells one build from another, on one line. */
export function versionLine(): string {
  const protocol = linkProtocol.min === linkProtocol.max ? `${linkProtocol.max}` : `${linkProtocol.min}-${linkProtocol.max}`;
  const runtime = `node ${process.versions.node} ${process.platform}-${process.arch}`;
  return `ccm ${buildInfo.version} (commit ${buildInfo.commit}, build ${buildInfo.buildId}, link protocol ${protocol}, ${runtime})`;
}
