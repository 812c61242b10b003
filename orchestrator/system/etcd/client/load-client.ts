/** One client of the load by etcd's protocol: a connection, and a key of its own. */

import { type Change, Churn } from "../../../workload/load/churn.ts";
import type { Hearsay } from "../../../workload/load/hearsay.ts";
import type { LoadPlan } from "../../../workload/load/plan.ts";
import { type LoadingClient, placesFrom, type Tally } from "../../../workload/load/program.ts";
import { leaf, payload, READS_TO_A_WRITE, znode } from "../../../workload/load/request.ts";
import {
  deleteRange,
  METHODS,
  part,
  put,
  range,
  readHeader,
  readTxn,
  readWatched,
  txn,
  utf8,
  versionIs,
  watchKey,
} from "../wire/messages.ts";
import type { Method } from "./channel.ts";
import { outcomeOf } from "./outcome.ts";
import { type Answered, EtcdSession } from "./session.ts";

interface Request {
  readonly method: Method;
  readonly question: Uint8Array;
  /** Of what comes and goes. */
  readonly change?: Change;
}

/** What gRPC calls a key that is there already. */
const EXISTS = 6;
/** As the load's clients of other systems behave. */
const POLICY = { patienceMs: 20_000, pauseMs: 10 };

export class EtcdLoadClient implements LoadingClient {
  readonly #tally: Tally;
  readonly #session: EtcdSession;
  readonly #index: number;
  readonly #hearsay: Hearsay | null;
  /** Answered in turn. */
  #mix: readonly Request[] = [];
  #turn = 0;
  /** Instead of the mix: what comes and goes. */
  #churn: Churn | null = null;
  #data: Uint8Array = new Uint8Array(0);
  /** When what goes out with the next `send` was due. */
  #due: number[] = [];
  #closedLoop = false;
  #isOver = false;

  constructor(ports: readonly number[], index: number, tally: Tally, hearsay: Hearsay | null) {
    this.#tally = tally;
    this.#index = index;
    this.#hearsay = hearsay;
    const places = placesFrom(ports, index);
    this.#session = new EtcdSession(places, 0, POLICY, () => tally.now());
  }

  /** Tries on until it has an answer. */
  prepare(index: number, { request, payloadBytes, newest = false }: LoadPlan): Promise<void> {
    const [key, value] = [utf8(znode(index)), payload(payloadBytes)];
    this.#data = value;
    if (request === "churn") this.#churn = new Churn(Math.floor(this.#tally.now()));
    const write = put(key, value);
    const writing: Request = { method: METHODS.put, question: write };
    const reading: Request = { method: METHODS.range, question: range({ key, serializable: !newest }) };
    this.#mix = {
      setData: [writing],
      getData: [reading],
      mixed: [...Array.from({ length: READS_TO_A_WRITE }, () => reading), writing],
      churn: [],
      watched: [writing],
    }[request];
    return new Promise((resolve) => {
      const ask = (): void =>
        this.#session.ask(METHODS.put, write, ({ reply }) => (reply?.status === 0 ? resolve() : ask()));
      ask();
    });
  }

  /** From behind the newest change that there is, wherever the server that is asked is by then. */
  async watch(client: number, told: () => void): Promise<void> {
    const key = utf8(znode(client));
    const { reply } = await new Promise<Answered>((resolve) =>
      this.#session.ask(METHODS.range, range({ key }), resolve),
    );
    if (reply?.status !== 0) throw new Error(`watch refused: ${reply?.message ?? "no connection"}`);
    const { revision } = readHeader(reply.body);
    await new Promise<void>((resolve, reject) => {
      this.#session.converse(METHODS.watch, watchKey(key, revision + 1), (body) => {
        if (body === null) return reject(new Error("the watch ended"));
        const { created, events } = readWatched(body);
        if (created) resolve();
        for (let event = 0; event < events; event++) told();
      });
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
      const next = this.#next();
      if (next !== undefined)
        this.#session.ask(next.method, next.question, (asked) => this.#answered(intended, next, asked));
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

  #next(): Request | undefined {
    if (this.#churn === null) return this.#mix[this.#turn++ % this.#mix.length];
    const change = this.#churn.next();
    const key = utf8(leaf(this.#index, change));
    if (change.kind === "delete") return { method: METHODS.deleteRange, question: deleteRange(key), change };
    const creation = { when: versionIs(key, 0), met: [part.put(key, this.#data)], otherwise: [] };
    return { method: METHODS.txn, question: txn(creation), change };
  }

  #answered(intended: number, { change }: Request, asked: Answered): void {
    // What never went out is counted where it was given up.
    if (this.#isOver) return;
    const outcome = outcomeOf(asked);
    if (outcome === "ok" && asked.reply !== null) {
      if (change?.kind === "create" && !readTxn(asked.reply.body).succeeded) return this.#refused(EXISTS);
      if (change !== undefined) this.#churn?.done(change);
      const done = (): void => this.#acknowledged(intended, asked.sent);
      return this.#hearsay === null ? done() : this.#hearsay.acknowledged(this.#index, done);
    }
    if (outcome === "failed" && asked.reply !== null) return this.#refused(asked.reply.status);
    this.#tally.unknown(intended);
    this.#goOn();
  }

  #acknowledged(intended: number, sent: number): void {
    this.#tally.acknowledged(intended, sent, this.#tally.now());
    this.#goOn();
  }

  #refused(status: number): void {
    this.#tally.refused(status);
    this.#goOn();
  }

  #goOn(): void {
    if (!this.#closedLoop) return;
    this.due(this.#tally.now());
    this.send();
  }
}
