/**
 * One client of the load by ZooKeeper's protocol: a session, of whose requests it is noted when each should
 * have been sent, was sent and was answered.
 */

import { Question } from "#node/client/question.ts";
import type { SessionEvent } from "#node/client/session-protocol.ts";
import { milliseconds, seconds } from "#node/core/time.ts";
import { LiveSession } from "#node/host/tcp/live-session.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { EVENT_TYPES } from "#node/wire/client/watch.ts";
import { type Change, Churn } from "./churn.ts";
import type { Hearsay } from "./hearsay.ts";
import type { LoadPlan } from "./plan.ts";
import { type LoadingClient, placesFrom, type Tally } from "./program.ts";
import {
  churnRequest,
  createRequest,
  loadRequest,
  payload,
  READS_TO_A_WRITE,
  watchRequest,
  znode,
} from "./request.ts";

const POLICY = {
  /** ZooKeeper clamps it to 20 ticks, 40 s; long enough that no session ends within a measurement. */
  timeout: seconds(30),
  patience: milliseconds(500),
  pause: milliseconds(10),
  order: { kind: "nearest first" },
} as const;

export class LoadClient implements LoadingClient {
  readonly #tally: Tally;
  /** Requests are called by when they should have been sent. */
  readonly #session: LiveSession<number>;
  readonly #index: number;
  readonly #hearsay: Hearsay | null;
  /** Asked in turn. */
  #mix: readonly Question[] = [];
  #turn = 0;
  /** Instead of the mix: what comes and goes. */
  #churn: Churn | null = null;
  readonly #changes = new Map<Question, Change>();
  #data: Uint8Array = new Uint8Array(0);
  #told: (() => void) | null = null;
  #isSending = false;
  /** Asked before each, so that what is read is not older than its question. */
  #sync: Question | null = null;
  /** Asked alone, until there is an answer. */
  #once: { readonly question: Question; resolve(error: number): void } | null = null;
  #closedLoop = false;

  constructor(ports: readonly number[], index: number, tally: Tally, hearsay: Hearsay | null = null) {
    this.#tally = tally;
    this.#index = index;
    this.#hearsay = hearsay;
    const places = placesFrom(ports, index);
    this.#session = new LiveSession({
      places,
      policy: POLICY,
      now: () => tally.now(),
      heard: (event) => this.#hear(event),
    });
    this.#session.connect();
  }

  async prepare(index: number, plan: LoadPlan): Promise<void> {
    const error = await this.once(createRequest(index, plan));
    if (error !== ERRORS.ok && error !== ERRORS.nodeExists) throw new Error(`create refused: ${error}`);
    const { request, payloadBytes } = plan;
    const of = (kind: "setData" | "getData"): Question => loadRequest(index, { request: kind, payloadBytes });
    this.#data = payload(payloadBytes);
    if (request === "churn") this.#churn = new Churn(Math.floor(this.#tally.now()));
    else if (request !== "mixed") this.use(loadRequest(index, { request, payloadBytes }));
    else this.#mix = [...Array.from({ length: READS_TO_A_WRITE }, () => of("getData")), of("setData")];
    if (plan.newest === true) this.#sync = new Question({ kind: "sync", path: znode(index) });
  }

  async watch(client: number, told: () => void): Promise<void> {
    const error = await this.once(watchRequest(client));
    if (error !== ERRORS.ok) throw new Error(`watch refused: ${error}`);
    this.#told = told;
  }

  /** Asks once and gives the error code of the answer; tries on until it has an answer. */
  once(question: Question): Promise<number> {
    return new Promise((resolve) => {
      this.#once = { question, resolve };
      this.#session.ask(question, 0);
      this.#session.flush();
    });
  }

  /** What is asked from now on. */
  use(question: Question): void {
    this.#mix = [question];
  }

  keep(outstanding: number): void {
    this.#closedLoop = true;
    const now = this.#tally.now();
    for (let count = 0; count < outstanding; count++) this.due(now);
    this.send();
  }

  due(intended: number): void {
    const question = this.#next();
    if (question === undefined) return;
    if (this.#sync !== null) this.#session.ask(this.#sync, intended);
    this.#session.ask(question, intended);
  }

  send(): void {
    this.#session.flush();
  }

  get idle(): boolean {
    const { waiting, underWay } = this.#session.state;
    return waiting + underWay === 0;
  }

  rest(): number {
    this.#closedLoop = false;
    return this.#session.takeWaiting().length;
  }

  stop(): void {
    this.#closedLoop = false;
    for (const { tag } of this.#session.takeWaiting()) this.#tally.unknown(tag);
    this.#session.abandon();
  }

  #next(): Question | undefined {
    if (this.#churn === null) return this.#mix[this.#turn++ % this.#mix.length];
    const change = this.#churn.next();
    const question = churnRequest(this.#index, change, this.#data);
    this.#changes.set(question, change);
    return question;
  }

  #hear(event: SessionEvent<number>): void {
    if (event.kind === "watch") {
      // That its key came into being is nobody's write.
      if (event.event.type === EVENT_TYPES.dataChanged) this.#told?.();
      return;
    }
    if (event.kind !== "answered" && event.kind !== "lost") return;
    const { question, tag, sent } = event.asked;
    if (this.#once?.question === question) {
      if (event.kind === "lost") return this.#session.ask(question, tag);
      const once = this.#once;
      this.#once = null;
      return once.resolve(event.error);
    }
    // Its own question follows, and is answered or lost with it.
    if (question === this.#sync) return;
    const isDone = event.kind === "answered" && event.error === ERRORS.ok;
    this.#changed(question, isDone);
    if (isDone && this.#hearsay !== null)
      return this.#hearsay.acknowledged(this.#index, () => this.#acknowledged(tag, sent));
    if (isDone) return this.#acknowledged(tag, sent);
    if (event.kind === "lost") this.#tally.unknown(tag);
    else this.#tally.refused(event.error);
    this.#goOn();
  }

  #acknowledged(intended: number, sent: number): void {
    this.#tally.acknowledged(intended, sent, this.#tally.now());
    this.#goOn();
  }

  #changed(question: Question, isDone: boolean): void {
    const change = this.#changes.get(question);
    if (change === undefined) return;
    this.#changes.delete(question);
    if (isDone) this.#churn?.done(change);
  }

  /** What was heard on another's connection goes out on this one when all of it was heard. */
  #goOn(): void {
    if (!this.#closedLoop) return;
    this.due(this.#tally.now());
    if (this.#hearsay === null || this.#isSending) return;
    this.#isSending = true;
    queueMicrotask(() => {
      this.#isSending = false;
      this.send();
    });
  }
}
