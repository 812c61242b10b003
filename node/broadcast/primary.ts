/**
 * The leader of an established epoch: gives every write its place, proposes, counts, commits.
 *
 * A write has its zxid at once and leaves with the turn. All servers that are as far as the leader get the
 * same message; those behind are pumped by their own streams and join the others when they have caught up.
 */

import type { ServerId } from "../core/identity.ts";
import { PAYLOAD_LIMIT } from "../core/limits.ts";
import { reachedByQuorum } from "../core/quorum.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Ticket } from "../core/transaction.ts";
import { type Epoch, type Zxid, ZERO, zxid } from "../core/zxid.ts";
import { Confirmation, type SyncRequest } from "./confirmation.ts";
import type { Learner } from "./learner.ts";
import type { Fault, ServerState } from "./server-state.ts";

export class Primary {
  readonly #server: ServerState;
  readonly #epoch: Epoch;
  readonly #learners: ReadonlyMap<ServerId, Learner>;
  readonly #confirmation = new Confirmation();
  #counter = 0;
  #time: TimeOfDay;
  /** Ordinal up to which the history was proposed to everyone who keeps up. */
  #proposed: number;

  constructor(server: ServerState, ofEpoch: Epoch, learners: ReadonlyMap<ServerId, Learner>) {
    const { history } = server;
    this.#server = server;
    this.#epoch = ofEpoch;
    this.#learners = learners;
    this.#proposed = history.end;
    this.#time = timeAt(server);
  }

  /** The counter of 32 bits comes to its end: a new epoch is due. */
  get exhausted(): boolean {
    return this.#counter >= this.#server.options.transactionsPerEpoch;
  }

  write(ticket: Ticket, payload: Uint8Array): void {
    const clock = this.#server.wallClock.read(this.#server.now);
    if (clock > this.#time) this.#time = clock;
    this.#counter += 1;
    const place = zxid(this.#epoch, this.#counter);
    // No server takes so much from a client; one that forwards it gets an answer, for it would ask again.
    const bounded = payload.length <= PAYLOAD_LIMIT ? payload : NOTHING;
    this.#server.log({ zxid: place, time: this.#time, ticket, payload: bounded, imaged: false });
  }

  sync(request: SyncRequest): void {
    this.#confirmation.add(request);
  }

  confirmed(learner: Learner, sequence: number): Fault {
    if (sequence > this.#confirmation.last) return `it confirms question ${sequence}, which was not asked`;
    learner.confirmed = Math.max(learner.confirmed, sequence);
    return null;
  }

  /** One more serves: it is asked what was asked of the others before, for one of them may be gone. */
  welcome({ id }: Learner): void {
    if (this.#confirmation.pending && this.#server.mutant !== "welcomed-not-asked")
      this.#ask([id], this.#confirmation.last);
  }

  turn(): void {
    this.#propose();
    this.#commit();
    this.#answerSyncs();
  }

  #propose(): void {
    const { history, options } = this.#server;
    const from = this.#proposed;
    const end = history.end;
    if (from === end) return;
    this.#proposed = end;
    const level = [...this.#learners.values()].filter(
      ({ stream }) => stream !== null && stream.next === from && stream.hasRoom,
    );
    const to = level.map(({ id }) => id);
    for (let start = from; start < end && to.length > 0; ) {
      const pieceEnd = history.pieceEnd(start, end, options.proposeBytes);
      this.#server.sendAll(to, { kind: "propose", transactions: history.slice(start, pieceEnd) });
      start = pieceEnd;
    }
    for (const { stream } of level) stream?.passed(end);
  }

  #commit(): void {
    const reached = this.#reached();
    if (reached <= this.#server.committed) return;
    this.#server.commit(reached);
    this.#server.sendAll(this.#serving(), { kind: "commit", epoch: this.#epoch, zxid: reached });
  }

  /** What a quorum has on its disks. */
  #reached(): Zxid {
    const { history, journal, mutant, quorum } = this.#server;
    const own = mutant === "commit-own-without-disk" ? history.last : journal.durableZxid;
    const reached = this.#ofEach(own, (learner) => (learner.counts ? learner.acknowledged : ZERO));
    if (mutant === "commit-without-quorum") return (reached.sort((a, b) => b - a)[1] ?? own) as Zxid;
    if (mutant === "stale-leader-serves" && this.#serving().length + 1 < quorum) return own;
    return reachedByQuorum(reached) as Zxid;
  }

  #answerSyncs(): void {
    const question = this.#confirmation.ask();
    if (question !== null) this.#ask(this.#serving(), question);
    if (!this.#confirmation.pending) return;
    const { last } = this.#confirmation;
    const confirmed = reachedByQuorum(this.#ofEach(last, (learner) => learner.confirmed));
    const upTo = this.#server.mutant === "sync-without-quorum" ? last : confirmed;
    for (const request of this.#confirmation.confirmed(upTo)) this.#answer(request);
  }

  #ask(to: readonly ServerId[], sequence: number): void {
    this.#server.sendAll(to, { kind: "confirm", epoch: this.#epoch, sequence });
  }

  #answer({ from, sequence }: SyncRequest): void {
    const { committed } = this.#server;
    if (from === null) this.#server.output({ kind: "synced", sequence });
    // Who left meanwhile asks the next leader again.
    else if (this.#learners.get(from.id) === from) {
      this.#server.send(from.id, { kind: "synced", sequence, committed });
    }
  }

  /** One value for each server of the ensemble; those not here have reached nothing. */
  #ofEach(own: number, ofLearner: (learner: Learner) => number): number[] {
    const values = [own];
    for (const learner of this.#learners.values()) values.push(ofLearner(learner));
    while (values.length < this.#server.servers.length) values.push(0);
    return values;
  }

  #serving(): ServerId[] {
    const serving: ServerId[] = [];
    for (const { id, stage } of this.#learners.values()) if (stage === "serving") serving.push(id);
    return serving;
  }
}

/** A request that does nothing, and is answered by an error. */
const NOTHING = new Uint8Array(0);

/** Of the end of the history: of its last transaction, or of the state that it begins with. */
function timeAt({ history, application, mutant }: ServerState): TimeOfDay {
  if (mutant === "timeless-state" && history.end === history.start) return 0 as TimeOfDay;
  return history.end > history.start ? history.at(history.end - 1).time : application.time;
}
