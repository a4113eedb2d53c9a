import { text } from "node:stream/consumers";
import * as z from "zod";
import { CcmError } from "../../core/errors.ts";
import { type ReleaseSource, releaseSources, unavailable } from "./release-source.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const artefact = z.looseObject({
  target: z.string(),
  needs: z.string().default(""),
  file: z.string().regex(/^[\w.+-]+$/),
  sha256: hash,
  executable: z.looseObject({ bytes: z.int().positive(), sha256: hash }),
});
/** As `build/release-manifest.ts` writes it; loose, for newer releases say more. */
const manifest = z.looseObject({
  name: z.literal("ccm"),
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  commit: z.string(),
  artefacts: z.array(artefact),
});

export interface Release {
  readonly version: string;
  readonly source: ReleaseSource;
  readonly artefact: z.infer<typeof artefact>;
}

/**
 * The release at `releases` for this platform; that version, or the newest. Rejects with `release_unavailable`,
 * `release_refused` where what is there is not a release, and `platform_unsupported`.
 */
export async function findRelease(releases: string, version: string | undefined, platform: string): Promise<Release> {
  for (const source of releaseSources(releases, version)) {
    const file = await source.open("manifest.json");
    if (!file) continue;
    const found = parseManifest(await text(file), source);
    if (version !== undefined && found.version !== version) continue;
    const own = found.artefacts.find(({ target }) => target === platform);
    if (own) return { version: found.version, source, artefact: own };
    throw new CcmError("platform_unsupported", `release ${found.version} at ${source.place} has nothing for ${platform}`, {
      hint: "stay with the version that runs here, or build that platform's executable from source",
    });
  }
  throw unavailable(`there is no release${version === undefined ? "" : ` ${version}`} at ${releases}`);
}

function parseManifest(content: string, { place }: ReleaseSource): z.infer<typeof manifest> {
  try {
    return manifest.parse(JSON.parse(content));
  } catch (cause) {
    throw new CcmError("release_refused", `${place}/manifest.json is not a release of ccm`, {
      hint: "see whether the address is right",
      cause,
    });
  }
}
