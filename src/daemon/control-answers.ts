import { buildInfo } from "../core/build-info.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { AskOp } from "../link/protocol.ts";
import type { LocalMembers } from "../members/local-members.ts";
import type { ControlAnswer, DaemonStatus, FollowRequest } from "./control-protocol.ts";
import type { AnsweredRequest } from "./control-server.ts";
import type { Dialler } from "./dialler.ts";
import type { Diallers } from "./diallers.ts";
import { type Examination, examineEverywhere } from "./examine.ts";
import type { Peers } from "./peers.ts";
import type { RelayTrail } from "./relay-trail.ts";
import { sendForCommand } from "./send-for-command.ts";
import { shouldYield } from "./should-yield.ts";
import { ownTrace, traceEverywhere } from "./trace.ts";

export interface ControlAnswersOptions {
  readonly clock: Clock;
  readonly auditFile: string;
  readonly label: () => string;
  readonly peers: Peers;
  readonly diallers: Diallers;
  readonly localMembers: LocalMembers;
  readonly relayTrail: RelayTrail;
  readonly examination: Examination;
  readonly status: () => DaemonStatus;
  readonly reload: () => Promise<void>;
  readonly stop: (reason: string, final: boolean) => Promise<void>;
  /** The process is to end. */
  readonly onStop: (reason: string, final: boolean) => void;
}

/** How long the listing of a new link's members is waited for. */
const LISTING_MS = 3_000;

/** What the daemon answers to commands, and to the daemons of other machines. */
export class ControlAnswers {
  readonly #options: ControlAnswersOptions;

  constructor(options: ControlAnswersOptions) {
    this.#options = options;
  }

  async answer(request: AnsweredRequest, tell: (line: ControlAnswer) => void, hungUp: AbortSignal): Promise<ControlAnswer> {
    const { clock, label, auditFile, peers, localMembers, status, reload, stop, onStop } = this.#options;
    switch (request.op) {
      case "status":
        return { ok: true, status: status() };
      case "reload":
        await reload();
        return { ok: true };
      case "yield":
        return { ok: true, yields: this.#yields(request) };
      case "await-link":
        await this.#awaitLink(request.label, request.timeoutMs);
        return { ok: true };
      case "send":
        return { ok: true, state: await sendForCommand(request, peers.all, localMembers, clock) };
      case "trace":
        return { ok: true, machines: await traceEverywhere({ label: label(), auditFile }, peers.all, request.messageId) };
      case "examine":
        return { ok: true, examined: await examineEverywhere(peers.all) };
      case "follow":
        await this.#follow(request, tell, hungUp);
        return { ok: true };
      case "stop":
        await stop("asked to stop", request.final);
        onStop("asked to stop", request.final);
        return { ok: true };
      default:
        throw new CcmError("usage", `this daemon knows no request "${(request as { op: unknown }).op}"`, {
          hint: "it may be an older build: ccm restart",
        });
    }
  }

  /** To another daemon; what this throws is told to it. */
  async answerQuestion(question: AskOp["question"]): Promise<unknown> {
    if (question.kind === "doctor") return this.#options.examination.findings();
    if (question.kind === "trace") return ownTrace(this.#options.auditFile, question["messageId"]);
    throw new CcmError("usage", `this build does not know the question "${plainLine(question.kind, 40)}"`);
  }

  #yields(other: { readonly version: string; readonly buildId: string }): boolean {
    const { peers, diallers, onStop } = this.#options;
    const isIdle = diallers.all.length === 0 && peers.all.every((peer) => peer.state.name !== "linked");
    if (!isIdle || !shouldYield(buildInfo, other)) return false;
    onStop(`makes room for ccm ${other.version}`, false);
    return true;
  }

  /** Until the link is up and its members are listed; the listing may take 3 s more and is then not waited for. */
  async #awaitLink(label: string, timeoutMs: number): Promise<void> {
    const { clock, peers } = this.#options;
    const dialler = this.#dialler(label);
    await dialler.untilLinked(timeoutMs);
    const peer = dialler.machineId === undefined ? undefined : peers.byMachine(dialler.machineId);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(LISTING_MS, resolve);
    await Promise.race([peer?.listed(), late]).finally(cancel);
  }

  async #follow({ messageId, timeoutMs }: FollowRequest, tell: (line: ControlAnswer) => void, hungUp: AbortSignal): Promise<void> {
    const { clock, relayTrail } = this.#options;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(timeoutMs, resolve);
    hungUp.addEventListener("abort", () => resolve());
    const stop = relayTrail.follow(messageId, (change) => tell({ ok: true, change }));
    tell({ ok: true, following: messageId });
    await over;
    cancel();
    stop();
  }

  #dialler(label: string): Dialler {
    const dialler = this.#options.diallers.byLabel(label);
    if (!dialler) throw new CcmError("usage", `no machine is paired as ${label}`, { hint: "see ccm status" });
    return dialler;
  }
}
