declare const CCM_VERSION: string | undefined;
declare const CCM_COMMIT: string | undefined;
declare const CCM_BUILD_ID: string | undefined;
declare const CCM_DEFAULT_RELEASES: string | undefined;

/** Who this program is. The build fills it in; run from source it is a `dev` build. */
export const buildInfo = {
  version: typeof CCM_VERSION === "string" ? CCM_VERSION : "0.0.0-dev",
  commit: typeof CCM_COMMIT === "string" ? CCM_COMMIT : "source",
  /** A hash over the bundles, the runtime's version and the platform: equal ids are the same program. */
  buildId: typeof CCM_BUILD_ID === "string" ? CCM_BUILD_ID : "source",
  /** Where `ccm update` looks unless told otherwise: an address that the release's workflow gives the build. Else empty. */
  releases: typeof CCM_DEFAULT_RELEASES === "string" ? CCM_DEFAULT_RELEASES : "",
} as const;

/** The range of link protocol versions that this build speaks; see `src/link/PROTOCOL.md`. */
export const linkProtocol = { min: 1, max: 1 } as const;
