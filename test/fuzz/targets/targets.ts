import type { FuzzTarget } from "../run-fuzz.ts";
import { openControlTarget } from "./control.ts";
import { openEnvelopeTarget } from "./envelope.ts";
import { openInboxTarget } from "./inbox.ts";
import { openLinkTarget } from "./link.ts";
import { openPeerTarget } from "./peer.ts";
import { openRegistryTarget } from "./registry.ts";

/** Everything that reads what others wrote. */
export const targets: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  link: openLinkTarget,
  peer: openPeerTarget,
  inbox: openInboxTarget,
  envelope: openEnvelopeTarget,
  registry: openRegistryTarget,
  control: openControlTarget,
};
