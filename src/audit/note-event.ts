import { readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import { appendEvent, type TrailEvent } from "./append-event.ts";

/** Writes one event into this machine's trail. What a command does must not fail because nobody can note it down. */
export function noteEvent(paths: Paths, event: TrailEvent): void {
  try {
    ensurePrivateDirectory(paths.state);
    appendEvent({ file: paths.auditFile, node: readLightConfig(paths).label }, event);
  } catch {
    // `ccm doctor` says what is wrong with the state directory.
  }
}
