/**
 * What a server is, whatever its role: its history, what it has promised, what of it is on the disk, and how
 * far it has executed. Roles come and go; this stays for a life.
 */

import { assert } from "../core/assert.ts";
import type { Effect } from "../core/automaton.ts";
import type { ServerId } from "../core/identity.ts";
import { LARGEST_TOLD } from "../core/limits.ts";
import type { Mutant } from "../core/mutant.ts";
import { majority } from "../core/quorum.ts";
import type { Recovered } from "../core/record.ts";
import { BLANK } from "../core/recovery.ts";
import { after, type Duration, type Instant, milliseconds, seconds, type TimeOfDay } from "../core/time.ts";
import { WallClock } from "../core/wall-clock.ts";
import type { Transaction } from "../core/transaction.ts";
import { type Epoch, epoch, epochOf, NO_EPOCH, type Zxid, ZERO } from "../core/zxid.ts";
import type { Application, BroadcastOutput, BroadcastProtocol, BroadcastTimer } from "./broadcast.ts";
import { Checkpoint } from "./checkpoint.ts";
import { History } from "./history.ts";
import { Journal } from "./journal.ts";
import type { BroadcastEvent } from "../telemetry/broadcast-event.ts";
import type { BroadcastMessage } from "./message.ts";
import { NewDisk } from "./new-disk.ts";
import type { BroadcastOptions } from "./options.ts";

/** How a message broke the protocol, or null when it did not. */
export type Fault = string | null;

export type Promised = Recovered["promise"];

export interface Identity {
  readonly self: ServerId;
  readonly servers: readonly ServerId[];
  readonly application: Application;
  readonly options: BroadcastOptions;
  /** Hardly any answer of a server takes longer. */
  readonly farthest: () => Duration;
  readonly mutant: Mutant | null;
}

export class ServerState {
  readonly id: ServerId;
  readonly servers: readonly ServerId[];
  readonly quorum: number;
  readonly application: Application;
  readonly options: BroadcastOptions;
  readonly mutant: Mutant | null;
  readonly #farthest: () => Duration;
  readonly reachable = new Set<ServerId>();
  readonly checkpoint: Checkpoint;
  readonly newDisk: NewDisk;
  history = new History(ZERO);
  journal = new Journal(ZERO);
  now = 0 as Instant;
  /** The highest epoch that a join told was promised somewhere, not counting the own `#tried`. */
  #heard: Epoch = NO_EPOCH;
  /**
   * The epoch for which this server asked last in this life, as long as nobody was led in it: it may ask
   * again for the same. Epochs are few, and a server that fails to lead may try every few seconds for months.
   */
  #tried: Epoch = NO_EPOCH;
  #promise: Promised = BLANK.promise;
  #promisePlace = 0;
  #epoch: Epoch = BLANK.epoch;
  #epochPlace = 0;
  #committed: Zxid = ZERO;
  /** Ordinal of the next transaction to execute. */
  #execution = 0;
  /** The epoch whose first commit was told. */
  #begun: Epoch = NO_EPOCH;
  readonly wallClock = new WallClock();
  #effects: Effect<BroadcastProtocol>[] = [];

  constructor({ self, servers, application, options, farthest, mutant }: Identity) {
    this.#farthest = farthest;
    this.id = self;
    this.servers = servers;
    this.quorum = majority(servers.length);
    this.application = application;
    this.options = options;
    this.mutant = mutant;
    this.checkpoint = new Checkpoint(this);
    this.newDisk = new NewDisk(this);
  }

  start(recovered: Recovered, timeOfDay: TimeOfDay): void {
    const { promise, epoch, snapshot, transactions } = recovered;
    this.wallClock.tell(timeOfDay, this.now);
    this.#promise = promise;
    this.#epoch = epoch;
    if (snapshot !== null) {
      const restoration = this.application.restore(snapshot.zxid);
      for (const chunk of snapshot.chunks) refuse(restoration.accept(chunk));
      refuse(restoration.finish());
      this.#committed = snapshot.zxid;
    }
    // Alone it has nobody to tell, and all that it logged was committed.
    const isAlone = this.servers.length === 1;
    this.history = new History(this.#committed, isAlone ? transactions : transactions.map(tellable));
    this.journal = new Journal(this.history.last);
    this.newDisk.start(recovered);
  }

  // How long it waits: as its options say, and longer where others are so far away.

  get joinTimeout(): Duration {
    return this.#atLeast(this.options.joinTimeout);
  }

  get synchronizationTimeout(): Duration {
    return this.#atLeast(this.options.synchronizationTimeout);
  }

  /** From one server's hearing of a death to another's. */
  get newsMayTake(): Duration {
    return Math.max(EARLY, Math.min(2 * this.#farthest(), LONGEST)) as Duration;
  }

  #atLeast(duration: Duration): Duration {
    return Math.max(duration, Math.min(ANSWERS * this.#farthest(), LONGEST)) as Duration;
  }

  // What it has promised.

  get promise(): Promised {
    return this.#promise;
  }

  get epoch(): Epoch {
    return this.#epoch;
  }

  /** Never an older epoch than promised, nor the same under another leader: so an epoch has one leader. */
  mayPromise(epoch: Epoch, leader: ServerId, promise: Promised = this.promiseTo(leader)): boolean {
    if (promise === null || epoch > promise.epoch) return true;
    return epoch === promise.epoch && (leader === promise.leader || this.mutant === "reuse-epoch");
  }

  /**
   * What it has promised, as it concerns the leader that it follows. A promise to itself is that leader's, if
   * it never became a member of its epoch: nobody else was counted for it alone, and it asks for that epoch
   * no more. Older epochs stay promised away.
   */
  promiseTo(leader: ServerId): Promised {
    const promise = this.#promise;
    const isVain = promise?.leader === this.id && this.#epoch < promise.epoch;
    return isVain ? { epoch: promise.epoch, leader } : promise;
  }

  /** Another server has promised this. */
  hearPromise(promise: Promised): void {
    if (promise === null || (promise.leader === this.id && promise.epoch === this.#tried)) return;
    if (promise.epoch > this.#heard) this.#heard = promise.epoch;
  }

  /** The epoch that this server is to lead: above all that were led, or promised to another. */
  nextEpoch(): Epoch {
    const highest = Math.max(this.#promise?.epoch ?? 0, this.#epoch, this.#heard);
    if (this.mutant === "reuse-epoch") return epoch(Math.max(highest, 1));
    return epoch(highest === this.#tried && this.#tried > this.#heard ? highest : highest + 1);
  }

  makePromise(epoch: Epoch, leader: ServerId): void {
    const again = this.#promise?.epoch === epoch && this.#promise.leader === leader;
    this.#promise = { epoch, leader };
    this.#tried = leader === this.id ? epoch : NO_EPOCH;
    if (again || this.mutant === "forget-promise") return;
    this.#promisePlace = this.journal.append({ kind: "promise", epoch, leader });
  }

  /** Another server's promise is this one's too. */
  adoptPromise(promise: NonNullable<Promised>): void {
    this.#promise = promise;
    this.#promisePlace = this.journal.append({ kind: "promise", ...promise });
  }

  /** The disk will say that this server was there before the first epoch. */
  found(): void {
    this.journal.append({ kind: "founder" });
  }

  get promiseIsDurable(): boolean {
    return this.journal.holds(this.#promisePlace) || this.mutant === "promise-before-durable";
  }

  enterEpoch(epoch: Epoch): void {
    this.#epoch = epoch;
    if (this.mutant !== "retake-epoch") this.#tried = NO_EPOCH;
    if (this.mutant === "forget-epoch") return;
    this.#epochPlace = this.journal.append({ kind: "epoch", epoch });
  }

  get epochIsDurable(): boolean {
    return this.journal.holds(this.#epochPlace);
  }

  // What it has of the history, and what of that is decided.

  log(transaction: Transaction): void {
    this.history.push(transaction);
    this.journal.append({ kind: "transaction", transaction });
  }

  get committed(): Zxid {
    return this.#committed;
  }

  /** Everything up to `zxid` is committed, although not all of it need be here yet. */
  commit(zxid: Zxid): void {
    if (zxid > this.#committed) this.#committed = zxid;
    this.execute();
  }

  /** Executes what is committed and here. */
  execute(): void {
    const { history, application, checkpoint } = this;
    // Not searched for: what was executed is just before it.
    let end = this.#execution;
    while (end < history.end && history.at(end).zxid <= this.#committed) end += 1;
    if (this.mutant === "reorder-commits" && end - this.#execution > 1) {
      for (let ordinal = end - 1; ordinal >= this.#execution; ordinal--) {
        application.deliver(history.at(ordinal));
      }
      this.#execution = end;
    }
    if (end > this.#execution) checkpoint.count(end - this.#execution, history.bytes(this.#execution, end));
    while (this.#execution < end) {
      application.deliver(history.at(this.#execution));
      this.#execution += 1;
    }
    if (end > history.start && this.#begun !== this.#epoch) this.#tellFirst(history.at(end - 1).zxid);
  }

  #tellFirst(zxid: Zxid): void {
    const epoch = epochOf(zxid);
    if (epoch !== this.#epoch) return;
    this.#begun = epoch;
    this.tell({ kind: "committed", epoch, zxid });
  }

  /** The state was replaced by a snapshot, and the history ends where it was taken. */
  replaced(zxid: Zxid): void {
    this.history.reset(zxid);
    this.#execution = this.history.end;
    if (zxid > this.#committed) this.#committed = zxid;
  }

  /** Forgets what nobody needs any more; someone still reads from ordinal `pinned` on. */
  trim(pinned: number): void {
    this.history.trim(this.options.historyBytes, Math.min(pinned, this.#execution));
  }

  // What it does.

  take(): readonly Effect<BroadcastProtocol>[] {
    if (this.#effects.length === 0) return NOTHING;
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  send(to: ServerId, message: BroadcastMessage): void {
    this.#effects.push({ kind: "send", to: [to], message });
  }

  sendAll(to: readonly ServerId[], message: BroadcastMessage): void {
    if (to.length > 0) this.#effects.push({ kind: "send", to, message });
  }

  arm(timer: BroadcastTimer, duration: Duration): void {
    this.#effects.push({ kind: "arm", timer, after: duration });
  }

  disarm(timer: BroadcastTimer): void {
    this.#effects.push({ kind: "disarm", timer });
  }

  close(server: ServerId, reason: string): void {
    this.#effects.push({ kind: "close", server, reason });
  }

  output(output: BroadcastOutput): void {
    this.#effects.push({ kind: "output", output });
  }

  tell(event: BroadcastEvent): void {
    this.output({ kind: "event", event });
  }

  /** The records of this turn, as one write. */
  flush(): void {
    const records = this.journal.take(this.history.last);
    if (records !== null) this.#effects.push({ kind: "append", records });
  }

  hasPassed(duration: Duration, since: Instant): boolean {
    return this.now >= after(since, duration);
  }
}

const NOTHING: readonly Effect<BroadcastProtocol>[] = [];
/** So many answers one after the other; an election between them takes some. */
const ANSWERS = 8;
const EARLY = milliseconds(50);
const LONGEST = seconds(20);

/** What is on the own disk was written here, and its checksum was right. */
function refuse(fault: Fault): void {
  assert(fault === null, () => `the snapshot on the disk cannot be read: ${fault}`);
}

/**
 * What no frame can carry, as it may stand in the log of a leader that took it, was never told to anybody: so
 * it is not committed, and nobody else has a transaction in its place. There it stays as one that does
 * nothing, which is the same on whoever reads that log, and can be told.
 */
const tellable = (transaction: Transaction): Transaction =>
  transaction.payload.length <= LARGEST_TOLD
    ? transaction
    : { ...transaction, payload: new Uint8Array(0), imaged: false };
