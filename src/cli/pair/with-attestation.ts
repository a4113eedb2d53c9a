import type { ConfigFile } from "../../daemon/config.ts";
import type { Attestation } from "../../link/rewrite-frame.ts";

/** The configuration with what that machine's sessions may declare, if it is said; it holds whoever dials. */
export function withAttestation(config: ConfigFile, label: string, attest: Attestation | undefined): ConfigFile {
  if (attest === undefined) return config;
  return { ...config, trust: { ...config.trust, [label]: { ...config.trust?.[label], attest } } };
}
