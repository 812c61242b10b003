/**
 * One client of the load: a pipeline of requests of which it is noted when each should have been sent, was
 * sent and was answered. In a closed loop every answer makes room for the next one.
 */

import { ERRORS } from "#node/wire/client/error.ts";
import { HOST } from "../../topology/loopback.ts";
import { type Asked, Pipeline, type PipelineUser } from "./pipeline.ts";
import type { RequestTemplate } from "./request.ts";

/** What becomes of requests; all instants in microseconds. */
export interface Tally {
  now(): number;
  acknowledged(intended: number, sent: number, completed: number): void;
  refused(error: number): void;
  unknown(intended: number): void;
}

/** ZooKeeper clamps it to 20 ticks, 40 s; long enough that no session ends within a measurement. */
const SESSION_TIMEOUT_MS = 30_000;
const PATIENCE_MS = 500;

export class LoadClient implements PipelineUser {
  readonly #tally: Tally;
  /** Its requests are called by when they should have been sent. */
  readonly #pipeline: Pipeline;
  #closedLoop = false;

  constructor(ports: readonly number[], first: number, tally: Tally) {
    this.#tally = tally;
    const places = ports.map((_, index) => ({
      host: HOST,
      port: ports[(first + index) % ports.length] ?? 0,
    }));
    this.#pipeline = new Pipeline(places, SESSION_TIMEOUT_MS, PATIENCE_MS, this);
  }

  /** Asks once and gives the error code of the answer; tries on until it has an answer. */
  once(template: RequestTemplate): Promise<number> {
    return this.#pipeline.once(template);
  }

  use(template: RequestTemplate): void {
    this.#pipeline.use(template);
  }

  /** Keeps so many requests under way from now on. */
  keep(outstanding: number): void {
    this.#closedLoop = true;
    for (let count = 0; count < outstanding; count++) this.#pipeline.due(this.now());
    this.#pipeline.send();
  }

  /** A request that was due at `intended` goes out with the next `send`. */
  due(intended: number): void {
    this.#pipeline.due(intended);
  }

  send(): void {
    this.#pipeline.send();
  }

  get idle(): boolean {
    return this.#pipeline.isIdle;
  }

  /** No request is sent any more; how many were due and wait in vain. */
  rest(): number {
    this.#closedLoop = false;
    return this.#pipeline.takeWaiting().length;
  }

  stop(): void {
    for (const intended of this.#pipeline.takeWaiting()) this.#tally.unknown(intended);
    this.#pipeline.end();
  }

  now(): number {
    return this.#tally.now();
  }

  answered({ id, sent }: Asked, error: number, _zxid: number, at: number): void {
    if (error === ERRORS.ok) this.#tally.acknowledged(id, sent, at);
    else this.#tally.refused(error);
    if (this.#closedLoop) this.#pipeline.due(at);
  }

  lost({ id }: Asked, at: number): void {
    this.#tally.unknown(id);
    if (this.#closedLoop) this.#pipeline.due(at);
  }
}
