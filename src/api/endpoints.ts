import * as z from "zod";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { eventsEndpoint } from "./events-endpoint.ts";
import { Problem } from "./problem.ts";
import * as schema from "./schema.ts";

const listOf = (name: string, item: z.ZodType) => z.object({ [name]: z.array(item) });

const health = endpoint({
  method: "get",
  path: "/health",
  operationId: "getHealth",
  summary: "Whether this API is in the chat, and as whom",
  answers: { 200: { description: "It is", schema: schema.healthSchema } },
  problems: [503],
  handle: async (_request, { health }) => ({ status: 200, value: await health() }),
});

const listSessions = endpoint({
  method: "get",
  path: "/sessions",
  operationId: "listSessions",
  summary: "The sessions of all machines, those included that cannot be reached, with why",
  query: schema.sessionQuerySchema,
  answers: { 200: { description: "Those of this machine first", schema: listOf("sessions", schema.sessionSchema) } },
  problems: [400],
  handle: async ({ query }, { sessions }) => ({ status: 200, value: { sessions: await sessions.list(query) } }),
});

const getSession = endpoint({
  method: "get",
  path: "/sessions/{id}",
  operationId: "getSession",
  summary: "One session, by its id, name or address",
  parameters: schema.idSchema,
  answers: { 200: { description: "It", schema: schema.sessionSchema } },
  problems: [404, 409],
  handle: async ({ parameters }, { sessions }) => ({ status: 200, value: await sessions.find(parameters.id) }),
});

const sendMessage = endpoint({
  method: "post",
  path: "/messages",
  operationId: "sendMessage",
  summary: "Writes to a session",
  body: schema.newMessageSchema,
  answers: {
    202: {
      description: "Accepted; what becomes of it is at its Location, and among the events",
      schema: schema.acceptedSchema,
      headers: { Location: "Of the message" },
    },
  },
  problems: [400, 404, 409, 413, 415, 503],
  async handle({ body }, { sent }) {
    const { msg_id, state } = await sent.send(body);
    return { status: 202, value: { msg_id, state }, headers: { Location: `/messages/${msg_id}` } };
  },
});

const listMessages = endpoint({
  method: "get",
  path: "/messages",
  operationId: "listMessages",
  summary: "The newest messages that were sent by this API and that sessions sent to it",
  query: schema.messageQuerySchema,
  answers: { 200: { description: "From the oldest to the newest", schema: listOf("messages", schema.messageSchema) } },
  problems: [400],
  handle({ query: { direction, state, limit } }, { sent, received }) {
    const out = direction === "in" ? [] : sent.list().filter((message) => state === undefined || message.state === state);
    const incoming = direction === "out" || state !== undefined ? [] : received.list();
    return { status: 200, value: { messages: [...out, ...incoming].sort(byTime).slice(-limit) } };
  },
});

const getMessage = endpoint({
  method: "get",
  path: "/messages/{id}",
  operationId: "getMessage",
  summary: "One message; of one that was sent, all states with their times",
  parameters: schema.idSchema,
  answers: { 200: { description: "It", schema: schema.messageSchema } },
  problems: [404],
  handle({ parameters: { id } }, { sent, received }) {
    const value = sent.get(id) ?? received.get(id);
    if (value) return { status: 200, value };
    throw new CcmError("no_such_message", `there is no message ${plainLine(id, 80)}, or it is no longer kept`, {
      hint: "ccm trace knows what crossed between machines",
    });
  },
});

const subscribe = endpoint({
  method: "post",
  path: "/idle-subscriptions",
  operationId: "subscribeIdle",
  summary: "Asks a session to say when it has nothing to do",
  body: schema.newIdleSubscriptionSchema,
  answers: {
    201: { description: "Asked", schema: schema.idleSubscriptionSchema, headers: { Location: "Of the subscription" } },
  },
  problems: [400, 404, 409, 413, 415],
  async handle({ body }, { subscriptions }) {
    const value = await subscriptions.create(body.to);
    return { status: 201, value, headers: { Location: `/idle-subscriptions/${value.id}` } };
  },
});

const getSubscription = endpoint({
  method: "get",
  path: "/idle-subscriptions/{id}",
  operationId: "getIdleSubscription",
  summary: "What the session has said",
  parameters: schema.idSchema,
  answers: { 200: { description: "It", schema: schema.idleSubscriptionSchema } },
  problems: [404],
  handle({ parameters }, { subscriptions }) {
    const value = subscriptions.get(parameters.id);
    if (!value) throw noSubscription();
    return { status: 200, value };
  },
});

const deleteSubscription = endpoint({
  method: "delete",
  path: "/idle-subscriptions/{id}",
  operationId: "deleteIdleSubscription",
  summary: "Forgets it; what the session may still say is dropped",
  parameters: schema.idSchema,
  answers: { 204: { description: "Forgotten" } },
  problems: [404],
  handle({ parameters }, { subscriptions }) {
    if (!subscriptions.delete(parameters.id)) throw noSubscription();
    return { status: 204 };
  },
});

/** Every operation but that which gives the document about them. */
export const endpoints: readonly Endpoint[] = [
  health,
  listSessions,
  getSession,
  sendMessage,
  listMessages,
  getMessage,
  subscribe,
  getSubscription,
  deleteSubscription,
  eventsEndpoint,
];

function noSubscription(): Problem {
  return new Problem(404, { code: "no_such_subscription", detail: "there is no such subscription, or it is no longer kept" });
}

function byTime(left: schema.Message, right: schema.Message): number {
  return timeOf(left).localeCompare(timeOf(right));
}

function timeOf(message: schema.Message): string {
  return message.direction === "out" ? message.created_at : message.received_at;
}
