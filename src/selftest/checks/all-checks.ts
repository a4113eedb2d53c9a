import type { Check } from "../check.ts";
import { artifactChecks } from "./artifacts.ts";
import { attachmentChecks } from "./attachments.ts";
import { endingChecks } from "./ending.ts";
import { guardChecks } from "./guards.ts";
import { holdingChecks } from "./holding.ts";
import { idleChecks } from "./idle.ts";
import { noticeChecks } from "./notices.ts";
import { receivingChecks } from "./receiving.ts";
import { registryChecks } from "./registry.ts";
import { rosterChecks } from "./roster.ts";
import { sendingChecks } from "./sending.ts";

/** All that we rely on, in the order of the report. Within a lane they are made in this order. */
export const allChecks: readonly Check[] = [
  ...registryChecks,
  ...rosterChecks,
  ...sendingChecks,
  ...receivingChecks,
  ...holdingChecks,
  ...guardChecks,
  ...idleChecks,
  ...noticeChecks,
  ...artifactChecks,
  ...attachmentChecks,
  ...endingChecks,
];
