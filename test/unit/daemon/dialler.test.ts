import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { CcmError } from "../../../src/core/errors.ts";
import { Dialler } from "../../../src/daemon/dialler.ts";
import type { Peers } from "../../../src/daemon/peers.ts";
import type { LinkStream } from "../../../src/link/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** No machine is known, and none attaches. */
const nobody = { byMachine: () => undefined } as unknown as Peers;

function memoryStream(): LinkStream & { readonly isClosed: () => boolean } {
  const [readable, writable] = [new PassThrough(), new PassThrough()];
  writable.resume();
  let closed = false;
  const close = () => {
    closed = true;
    readable.destroy();
  };
  return { readable, writable, close, isClosed: () => closed };
}

test("stopped while the stream is being opened: the stream that comes is closed, and the stop settles", async () => {
  const opening = Promise.withResolvers<LinkStream>();
  const asked = Promise.withResolvers<void>();
  const stream = memoryStream();
  const dialler = new Dialler({
    host: "server",
    label: "server",
    peers: nobody,
    open: () => {
      asked.resolve();
      return opening.promise;
    },
    isReachable: async () => undefined,
    clock: new ManualClock(),
    onChange: () => {},
    onRefused: () => {},
  });
  await asked.promise;
  const stopped = dialler.stop();
  opening.resolve(stream);
  await stopped;
  assert.ok(stream.isClosed());
});

test("after a loss of the network the next try comes when the host answers again, not when the wait is over", async () => {
  const clock = new ManualClock();
  let isUp: boolean | undefined = false;
  let tries = 0;
  const dialler = new Dialler({
    host: "server",
    label: "server",
    peers: nobody,
    open: async () => {
      tries += 1;
      throw new CcmError("host_unreachable", "no route");
    },
    isReachable: async () => isUp,
    clock,
    onChange: () => {},
    onRefused: () => {},
  });
  await eventually(() => dialler.state.name === "waiting");
  assert.equal(tries, 1);
  isUp = true;
  await eventually(() => {
    clock.advance(10);
    return tries >= 2;
  });
  await dialler.stop();
});
