import assert from "node:assert/strict";
import * as z from "zod";
import { acceptedSchema, messageSchema, type SentMessage, sentMessageSchema } from "../../../src/api/schema.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestSession } from "../../support/test-machine.ts";
import type { ApiClient } from "./api-client.ts";

const DEADLINE = { deadlineMs: 10_000 };

export const messagesSchema = z.object({ messages: z.array(messageSchema) });

export async function send(client: ApiClient, to: string, text: string, fields: object = {}): Promise<string> {
  const accepted = await client.get("/messages", acceptedSchema, { method: "POST", body: { to, text, ...fields }, status: 202 });
  assert.equal(accepted.state, "queued");
  return accepted.msg_id;
}

export const fetchSent = (client: ApiClient, id: string) => client.get(`/messages/${id}`, sentMessageSchema);
export const statesOf = ({ states }: SentMessage) => states.map(({ state }) => state);

export async function become(client: ApiClient, id: string, state: SentMessage["state"]): Promise<SentMessage> {
  return await eventually(
    async () => {
      const message = await fetchSent(client, id);
      return message.state === state && message;
    },
    { ...DEADLINE, everyMs: 50, what: `a message that is ${state}` },
  );
}

export async function receipt(session: TestSession, text: string, ...statuses: ("held" | "delivered" | "denied")[]): Promise<void> {
  const { frame } = await session.message(text);
  for (const status of statuses) await session.order({ op: "answer", frame, status });
}
