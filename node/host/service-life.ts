/**
 * One life of a member, between its session and the world: what the session tells becomes inputs, and what
 * the member wants becomes questions. Hosts differ in the session that they give it and in their timers.
 */

import type { DrivenSession } from "../client/driven-session.ts";
import type { Policy } from "../client/policy.ts";
import { Question, replyTo } from "../client/question.ts";
import type { Answered, SessionEvent } from "../client/session-protocol.ts";
import { unreachable } from "../core/assert.ts";
import type { Answer, ServiceEffect, ServiceInput, ServiceMember } from "../core/service.ts";
import type { Duration, Instant } from "../core/time.ts";
import type { Coordination } from "../wire/client/coordination.ts";
import { ERRORS } from "../wire/client/error.ts";
import type { ServiceCounts } from "./service-counts.ts";

/** A question of the member's, as its session hands it back. */
export interface Asking {
  readonly id: number;
  readonly question: Coordination["question"];
}

/** What may differ between members; all else about their sessions follows from the contract. */
export type ServicePolicy = Partial<
  Pick<Policy, "timeout" | "patience" | "order" | "first" | "pause" | "auth">
>;

/** What a member can do to the world around it beside asking, and who is told. */
export interface ServiceSurroundings<P extends Coordination> {
  readonly now: Instant;
  readonly counts: ServiceCounts;
  arm(timer: P["timer"], after: Duration): void;
  disarm(timer: P["timer"]): void;
  /** Before the member sees it. */
  input(input: ServiceInput<P>): void;
  output(output: P["output"]): void;
  /**
   * It has left, and the service has `acknowledged` the end of its session, or could not be reached, or does
   * not believe it.
   */
  left(acknowledged: boolean): void;
}

export class ServiceLife<P extends Coordination> {
  readonly #member: ServiceMember<P>;
  readonly #around: ServiceSurroundings<P>;
  readonly #session: DrivenSession<Asking>;
  /** Inputs that came while another was being dealt with. */
  readonly #inbox: ServiceInput<P>[] = [];
  #isBusy = false;
  #state: "living" | "leaving" | "over" = "living";

  /** The session is its own and has not been told to connect; it tells what happens to `heard`. */
  constructor(
    member: ServiceMember<P>,
    around: ServiceSurroundings<P>,
    session: (heard: (event: SessionEvent<Asking>) => void) => DrivenSession<Asking>,
  ) {
    this.#member = member;
    this.#around = around;
    this.#session = session((event) => this.#hear(event));
  }

  /** Where it is, as a place in the list of servers. */
  get server(): number {
    return this.#session.state.server;
  }

  begin(life: number): void {
    this.give({ kind: "start", life });
    if (this.#state === "living") this.#session.connect();
  }

  /** Ends in silence. */
  end(): void {
    this.#state = "over";
    this.#session.abandon();
  }

  give(input: ServiceInput<P>): void {
    this.#inbox.push(input);
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) this.#step(next);
    this.#isBusy = false;
    this.#session.flush();
  }

  #step(input: ServiceInput<P>): void {
    if (this.#state !== "living") return;
    this.#around.input(input);
    for (const effect of this.#member.step(input, this.#around.now)) {
      this.#do(effect);
      // An output may end the life.
      if (this.#state !== "living") return;
    }
  }

  #do(effect: ServiceEffect<P>): void {
    switch (effect.kind) {
      case "ask": {
        const { id, question } = effect;
        this.#around.counts.ask(question);
        return this.#session.ask(new Question(question), { id, question });
      }
      case "leave":
        this.#state = "leaving";
        return this.#session.close();
      case "arm":
        return this.#around.arm(effect.timer, effect.after);
      case "disarm":
        return this.#around.disarm(effect.timer);
      case "output":
        return this.#around.output(effect.output);
      default:
        unreachable(effect);
    }
  }

  #hear(event: SessionEvent<Asking>): void {
    if (event.kind === "ended") return this.#left(event.acknowledged);
    if (this.#state !== "living") return;
    switch (event.kind) {
      case "opened":
        return this.give({ kind: "connected", isNew: !event.resumed });
      case "answered":
        return this.#answer(event.asked.tag, answerOf(event));
      case "lost":
        return this.#answer(event.asked.tag, UNKNOWN);
      case "watch":
        this.#around.counts.told(event.event);
        return this.give({ kind: "watched", event: event.event });
      case "closed":
        if (event.wasOpen) this.give({ kind: "suspended" });
        return;
      case "auth failed":
        this.give({ kind: "not believed" });
        this.#state = "over";
        return this.#around.left(false);
      case "expired":
        for (const { tag } of this.#session.takeWaiting()) this.#answer(tag, UNKNOWN);
        return this.give({ kind: "expired" });
      default:
    }
  }

  #answer({ id, question }: Asking, answer: Answer<Coordination>): void {
    this.#around.counts.answered(question, answer);
    this.give({ kind: "answered", id, answer });
  }

  #left(acknowledged: boolean): void {
    if (this.#state !== "leaving") return;
    this.#state = "over";
    this.#around.left(acknowledged);
  }
}

const UNKNOWN = { kind: "unknown" } as const;

/** A reply that cannot be read is as good as one that says so. */
function answerOf({ asked, error, frame }: Answered<Asking>): Answer<Coordination> {
  if (error !== ERRORS.ok) return { kind: "refused", error };
  const reply = replyTo(asked.question, frame);
  return reply === null ? { kind: "refused", error: ERRORS.marshalling } : { kind: "done", reply };
}
