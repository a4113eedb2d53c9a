import { buildInfo } from "../core/build-info.ts";
import type { Config } from "./config.ts";

/** Where releases are: by the environment, the configuration, or what this build was made to look at; undefined where none says. */
export function releasesPlace({ releases }: Pick<Config, "releases">, environment: NodeJS.ProcessEnv): string | undefined {
  return environment["CCM_RELEASES"] || releases || buildInfo.releases || undefined;
}
