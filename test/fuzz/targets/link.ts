import { duplexPair } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { LinkConnection } from "../../../src/link/connection.ts";
import { MAX_LINK_LINE_BYTES } from "../../../src/link/protocol.ts";
import { eventually } from "../../support/eventually.ts";
import type { FuzzTarget } from "../run-fuzz.ts";
import { hello, linkSeeds } from "./link-seeds.ts";

/** A connection of a link, and nobody behind it: after what is hostile an op must be heard, unless the other side ended the link. */
export async function openLinkTarget(): Promise<FuzzTarget> {
  return {
    seeds: linkSeeds,
    oversizeBytes: MAX_LINK_LINE_BYTES + 1,
    feed: async (lines) => {
      const [ours, theirs] = duplexPair();
      for (const side of [ours, theirs]) side.on("error", () => undefined);
      theirs.resume();
      const connection = new LinkConnection({ stream: { readable: ours, writable: ours, close: () => ours.destroy() } });
      let isEnded = false;
      void connection.closed.then(() => {
        isEnded = true;
      });
      theirs.write(`${JSON.stringify(hello)}\n`);
      await connection.ready;
      let heard = 0;
      connection.listen(
        (op) => {
          if (op.op === "ack" && op.seq === 987_654) heard += 1;
        },
        () => undefined,
      );
      for (const line of lines) {
        if (isEnded) break;
        if (!theirs.write(Buffer.concat([line, Buffer.from("\n")]))) await setImmediate();
      }
      theirs.write('{"op":"ack","seq":987654}\n');
      await eventually(() => heard > 0 || isEnded, { what: "an op after what was hostile", deadlineMs: 10_000 });
      connection.close("done");
      theirs.destroy();
    },
    close: async () => undefined,
  };
}
