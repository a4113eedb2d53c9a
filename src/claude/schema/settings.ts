import * as z from "zod";
import { lenient, openEnum } from "./lenient.ts";

export const settingsFile = z
  .looseObject({
    crossSessionInbound: lenient(openEnum(["accept", "hold", "refuse"])).describe(
      "What becomes of messages of other sessions; where it is absent: held unless both sessions are of one permission class",
    ),
    dialogExpiry: lenient(openEnum(["60s", "5m", "10m", "never"])).describe("How long a held message waits for its person"),
  })
  .describe("What concerns messages in Claude Code's settings.json");
