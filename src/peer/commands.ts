import type { PeerProgram } from "./peer-program.ts";
import type { CommandOf, PeerCommand } from "./schema/input.ts";
import type { EventOf } from "./schema/output.ts";

/** What a command's result says beside that it went well. */
export type Outcome = Partial<Pick<EventOf<"result">, "messageId" | "state" | "name" | "machine" | "subscription" | "request">>;

type Handlers = {
  readonly [Op in Exclude<PeerCommand["op"], "close">]: (program: PeerProgram, command: CommandOf<Op>) => Promise<Outcome>;
};

const handlers: Handlers = {
  async send(program, { to, text, as, attach }) {
    const target = program.directory.resolve(to);
    program.watch(target);
    return sentOutcome(await program.outgoing.send(program.place(as).own, target, text, attach));
  },
  async reply(program, { message, text, attach }) {
    return sentOutcome(await program.outgoing.reply(program.message(message), text, attach));
  },
  async subscribe(program, { to, as }) {
    const target = program.directory.resolve(to);
    program.watch(target);
    const { id } = await program.outgoing.subscribe(program.place(as).own, target);
    return { subscription: id, ...named(target) };
  },
  async status(program, { status, detail, as }) {
    const { own, inbox } = program.place(as);
    own.update({ status, ...(detail !== undefined && { detail }) });
    inbox.setTurn(status === "busy" ? undefined : { finishedAt: program.clock.now(), detail });
    return {};
  },
  async alias(program, { name, start }) {
    const { own } = program.addName(name);
    if (start) await own.start();
    return { name };
  },
  async retire(program, { name }) {
    await program.retire(name);
    return { name };
  },
  async release(program, { message }) {
    await program.decide(message, "delivered");
    return {};
  },
  async deny(program, { message }) {
    await program.decide(message, "denied");
    return {};
  },
  async artifacts(program, { slugs, as }) {
    program.place(as).inbox.artifacts.hold(slugs);
    return {};
  },
  async yield(program, { to, slugs, reason, as }) {
    const { own, inbox } = program.place(as);
    const target = program.directory.resolve(to);
    await own.start();
    const request = inbox.artifacts.request(slugs, reason, program.clock.now());
    await own.deliver(target.identity, request);
    return { request: request.msg_id ?? "", ...named(target) };
  },
  async unyield(program, { to, request, slugs, as }) {
    const { own, inbox } = program.place(as);
    const target = program.directory.resolve(to);
    await own.deliver(target.identity, inbox.artifacts.handBack(request, slugs));
    return {};
  },
};

/** Carries a command out. Rejects with why it could not be. */
export async function carryOut(program: PeerProgram, command: Exclude<PeerCommand, { op: "close" }>): Promise<Outcome> {
  const handler = handlers[command.op] as (program: PeerProgram, command: PeerCommand) => Promise<Outcome>;
  return await handler(program, command);
}

function sentOutcome({ messageId, state, target }: Awaited<ReturnType<PeerProgram["outgoing"]["send"]>>): Outcome {
  return { messageId, state, ...named(target) };
}

function named({ name, machine }: { readonly name: string; readonly machine: string | undefined }): Outcome {
  return { name, ...(machine !== undefined && { machine }) };
}
