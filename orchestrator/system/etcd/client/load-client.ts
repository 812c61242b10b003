/** One client of the load by etcd's protocol: a connection, and a key of its own. */

import type { LoadPlan } from "../../../workload/load/plan.ts";
import { type LoadingClient, placesFrom, type Tally } from "../../../workload/load/program.ts";
import { payload, READS_TO_A_WRITE, znode } from "../../../workload/load/request.ts";
import { METHODS, put, range, utf8 } from "../wire/messages.ts";
import type { Method } from "./channel.ts";
import { outcomeOf } from "./outcome.ts";
import { type Answered, EtcdSession } from "./session.ts";

interface Request {
  readonly method: Method;
  readonly question: Uint8Array;
}

/** As the load's clients of other systems behave. */
const POLICY = { patienceMs: 20_000, pauseMs: 10 };

export class EtcdLoadClient implements LoadingClient {
  readonly #tally: Tally;
  readonly #session: EtcdSession;
  /** Asked in turn. */
  #mix: readonly Request[] = [];
  #turn = 0;
  /** When what goes out with the next `send` was due. */
  #due: number[] = [];
  #closedLoop = false;
  #isOver = false;

  constructor(ports: readonly number[], first: number, tally: Tally) {
    this.#tally = tally;
    const places = placesFrom(ports, first);
    this.#session = new EtcdSession(places, 0, POLICY, () => tally.now());
  }

  /** Tries on until it has an answer. */
  prepare(index: number, { request, payloadBytes, newest = false }: LoadPlan): Promise<void> {
    const [key, value] = [utf8(znode(index)), payload(payloadBytes)];
    const write = put(key, value);
    const writing: Request = { method: METHODS.put, question: write };
    const reading: Request = { method: METHODS.range, question: range({ key, serializable: !newest }) };
    this.#mix = {
      setData: [writing],
      getData: [reading],
      mixed: [...Array.from({ length: READS_TO_A_WRITE }, () => reading), writing],
    }[request];
    return new Promise((resolve) => {
      const ask = (): void =>
        this.#session.ask(METHODS.put, write, ({ reply }) => (reply?.status === 0 ? resolve() : ask()));
      ask();
    });
  }

  keep(outstanding: number): void {
    this.#closedLoop = true;
    const now = this.#tally.now();
    for (let count = 0; count < outstanding; count++) this.due(now);
    this.send();
  }

  due(intended: number): void {
    this.#due.push(intended);
  }

  send(): void {
    const due = this.#due;
    this.#due = [];
    for (const intended of due) {
      const next = this.#mix[this.#turn++ % this.#mix.length];
      if (next !== undefined)
        this.#session.ask(next.method, next.question, (asked) => this.#answered(intended, asked));
    }
  }

  get idle(): boolean {
    return this.#session.isIdle && this.#due.length === 0;
  }

  rest(): number {
    this.#closedLoop = false;
    this.#isOver = true;
    const waiting = this.#due.length + this.#session.giveUp();
    this.#due = [];
    this.#isOver = false;
    return waiting;
  }

  stop(): void {
    this.#closedLoop = false;
    this.#session.end();
  }

  #answered(intended: number, asked: Answered): void {
    // What never went out is counted where it was given up.
    if (this.#isOver) return;
    const outcome = outcomeOf(asked);
    if (outcome === "ok") this.#tally.acknowledged(intended, asked.sent, this.#tally.now());
    else if (outcome === "failed" && asked.reply !== null) this.#tally.refused(asked.reply.status);
    else this.#tally.unknown(intended);
    if (!this.#closedLoop) return;
    this.due(this.#tally.now());
    this.send();
  }
}
