import * as z from "zod";
import { endpoint } from "./endpoint.ts";
import { eventStream } from "./event-stream.ts";
import { Problem } from "./problem.ts";

const MAX_STREAMS = 64;

const DESCRIPTION = `Server-sent events, each with an id. They are: message.state (MessageStateEvent), message.received (ReceivedMessage),
idle (IdleSubscription), session.joined, session.left and session.changed (Session), gap (GapEvent). A client that comes back with
Last-Event-ID gets what it missed; if that is no longer kept, the first event is gap.`.replaceAll("\n", " ");

export const eventsEndpoint = endpoint({
  method: "get",
  path: "/events",
  operationId: "streamEvents",
  summary: "What happens, as it happens",
  answers: { 200: { description: DESCRIPTION, schema: z.string(), contentType: "text/event-stream" } },
  problems: [503],
  handle(request, { ring, clock, closing, streams }) {
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
    if (request.method === "HEAD") return new Response(null, { headers });
    if (streams.size >= MAX_STREAMS) {
      throw new Problem(503, { code: "busy", detail: `${MAX_STREAMS} streams are open`, headers: { "Retry-After": "5" } });
    }
    const lastEventId = request.header("last-event-id");
    return new Response(eventStream({ ring, lastEventId, clock, closing, streams }), { headers });
  },
});
