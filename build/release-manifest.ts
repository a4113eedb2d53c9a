import { linkProtocol } from "../src/core/build-info.ts";
import type { Target } from "./targets.ts";

export interface Artefact {
  readonly target: Target;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly executable: { readonly bytes: number; readonly sha256: string };
}

/** What a machine wants to know of a release before it takes it. Fields are added, never changed: installed versions read it. */
export function releaseManifest(release: {
  readonly version: string;
  readonly commit: string;
  readonly builtAt: Date;
  readonly runtimeVersion: string;
  readonly artefacts: readonly Artefact[];
}): object {
  return {
    name: "ccm",
    version: release.version,
    commit: release.commit,
    /** The commit's, so that two builds of it are equal. */
    date: release.builtAt.toISOString(),
    linkProtocol,
    runtime: { name: "node", version: release.runtimeVersion },
    artefacts: release.artefacts.map(({ target, file, bytes, sha256, executable }) => ({
      target: target.name,
      needs: target.needs,
      file,
      bytes,
      sha256,
      executable,
    })),
  };
}
