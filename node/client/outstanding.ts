/**
 * What one client has asked: what waits to be sent, and what was sent and is not answered yet.
 *
 * Answers come in the order of the questions, each with the number that its question went out under. Pings,
 * proofs of identity and watches have a sign instead of a number, and an order for each kind.
 */

import { Fifo } from "../core/fifo.ts";
import { type Instant, instant } from "../core/time.ts";
import type { Asked, Question } from "./question.ts";

/** Asked by the session itself: its user hears nothing of it. */
export interface Own {
  readonly own: Question;
}

const MOST_XIDS = 0x7fff_0000;

export class Outstanding<Tag> {
  readonly #waiting = new Fifo<Asked<Tag>>();
  readonly #underWay = new Fifo<Asked<Tag>>();
  readonly #signed = new Map<number, Fifo<Asked<Tag> | Own>>();
  readonly #window: number;
  #nextXid = 1;

  /** So many at most are under way. */
  constructor(window: number) {
    this.#window = window;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get underWay(): number {
    return this.#underWay.length;
  }

  /** How many of those that wait may go out now. */
  get sendable(): number {
    return Math.min(this.#waiting.length, this.#window - this.#underWay.length);
  }

  ask(question: Question, tag: Tag, id: number): void {
    this.#waiting.push({ question, tag, id, sent: instant(0), server: 0, xid: 0 });
  }

  /** The next so many of those that wait, under way to this server from now on. */
  send(count: number, server: number, now: Instant): Asked<Tag>[] {
    const sent: Asked<Tag>[] = [];
    while (sent.length < count) {
      const next = this.#waiting.shift() as Asked<Tag>;
      next.sent = now;
      next.server = server;
      const { sign } = next.question;
      next.xid = sign ?? this.takeXid();
      if (sign === null) this.#underWay.push(next);
      else this.#lane(sign).push(next);
      sent.push(next);
    }
    return sent;
  }

  /** For a question that is counted nowhere else. */
  takeXid(): number {
    const xid = this.#nextXid;
    this.#nextXid = (xid % MOST_XIDS) + 1;
    return xid;
  }

  saidOfOwn(question: Question, sign: number): void {
    this.#lane(sign).push({ own: question });
  }

  /** Whose answer this is; null when it is not the turn of any such question. */
  answered(xid: number): Asked<Tag> | Own | null {
    if (xid < 0) return this.#signed.get(xid)?.shift() ?? null;
    return this.#underWay.at(0)?.xid === xid ? (this.#underWay.shift() ?? null) : null;
  }

  isAwaiting(sign: number): boolean {
    return this.#lane(sign).length > 0;
  }

  /** The connection is over: what was under way on it, but for what goes out again at the next. */
  lose(isAskedAgain: (question: Question) => boolean): Asked<Tag>[] {
    const [again, lost]: [Asked<Tag>[], Asked<Tag>[]] = [[], []];
    for (const asked of this.#underWay.take()) (isAskedAgain(asked.question) ? again : lost).push(asked);
    for (const lane of this.#signed.values()) {
      for (const asked of lane.take()) if (!("own" in asked)) lost.push(asked);
    }
    if (again.length > 0) this.#waiting.unshift(again);
    return lost;
  }

  takeWaiting(): readonly Asked<Tag>[] {
    return this.#waiting.take();
  }

  #lane(sign: number): Fifo<Asked<Tag> | Own> {
    let lane = this.#signed.get(sign);
    if (lane === undefined) this.#signed.set(sign, (lane = new Fifo()));
    return lane;
  }
}
