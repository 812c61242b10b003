/**
 * A server that leads: it collects promises from a quorum, fetches the newest history among them, and brings the others
 * level with it. Then the epoch is established, and `primary.ts` serves it.
 *
 *   gathering -> promising -> pulling -> synchronizing -> established
 *
 * Servers that come late go through the same steps one by one, whatever the phase.
 */

import { assert } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import type { Duration, Instant } from "../core/time.ts";
import type { Ticket } from "../core/transaction.ts";
import { type Epoch, epoch, NO_EPOCH, printZxid, type Zxid } from "../core/zxid.ts";
import type { BroadcastTimer } from "./broadcast.ts";
import { Intake } from "./intake.ts";
import { Learner } from "./learner.ts";
import type { Ack, AckEpoch, BroadcastMessage, Join } from "./message.ts";
import { newest } from "./newest.ts";
import { Primary } from "./primary.ts";
import type { Role } from "./role.ts";
import type { Fault, Server } from "./server.ts";
import { Stream } from "./stream.ts";

type Phase =
  /** Waiting for a quorum to join. */
  | "gathering"
  /** The epoch is chosen; waiting for a quorum to promise it. */
  | "promising"
  /** Fetching the newest history. */
  | "pulling"
  /** The initial history is settled; bringing a quorum level with it. */
  | "synchronizing"
  | "established";

export class Leader implements Role {
  readonly leader: ServerId;
  over: string | null = null;
  readonly #server: Server;
  readonly #learners = new Map<ServerId, Learner>();
  #phase: Phase = "gathering";
  #epoch: Epoch = NO_EPOCH;
  #pull: { readonly from: ServerId; readonly intake: Intake } | null = null;
  #primary: Primary | null = null;
  /** Something was taken in, or acknowledged, since the last turn. */
  #advanced = false;
  #saidWait: Instant;

  constructor(server: Server, joins: Iterable<readonly [ServerId, Join]>) {
    this.#server = server;
    this.leader = server.id;
    this.#saidWait = server.now;
    server.arm("discovery", server.options.joinTimeout);
    for (const [from, join] of joins) this.#learners.set(from, new Learner(from, join));
    this.#chooseEpoch();
  }

  get pinned(): number {
    let pinned = Number.POSITIVE_INFINITY;
    for (const learner of this.#learners.values()) pinned = Math.min(pinned, learner.pinned);
    return pinned;
  }

  connected(): void {}

  unreachable(server: ServerId): void {
    this.#drop(server);
  }

  message(from: ServerId, message: BroadcastMessage): void {
    if (message.kind === "join") {
      this.#join(from, message);
      return;
    }
    const learner = this.#learners.get(from);
    // What a server said before it left, or was dropped, may still arrive; so may its answer to a join of this server's.
    if (learner === undefined || message.kind === "refuse") return;
    if (message.kind === "leave") {
      this.#drop(from);
      return;
    }
    const fault = this.#hear(learner, message);
    if (fault === null) return;
    this.#server.close(from, fault);
    this.#drop(from);
  }

  timeout(timer: BroadcastTimer): void {
    if (timer === "discovery") this.#lose("no quorum joined and promised");
    else if (timer === "synchronization") this.#lose("no quorum could be brought level");
  }

  durable(): void {
    this.#findNewest();
    this.#establish();
  }

  write(ticket: Ticket, payload: Uint8Array): void {
    assert(this.#primary !== null, "a write before this server serves");
    this.#primary.write(ticket, payload);
  }

  sync(sequence: number): void {
    assert(this.#primary !== null, "a sync before this server serves");
    this.#primary.sync({ from: null, sequence });
  }

  turn(): void {
    this.#pull?.intake.acknowledge(NO_EPOCH);
    this.#primary?.turn();
    for (const learner of this.#learners.values()) this.#sendNext(learner);
    if (this.#advanced) this.#goOn();
    if (this.#primary?.exhausted) this.#lose("the epoch has no zxids left");
  }

  end(): void {
    this.#server.disarm("discovery");
    this.#server.disarm("synchronization");
    for (const learner of this.#learners.values()) this.#partFrom(learner);
    this.#pull?.intake.abandon();
  }

  #lose(reason: string): void {
    this.over ??= reason;
  }

  // Discovery: who is here, and which epoch will they promise?

  #join(from: ServerId, join: Join): void {
    this.#learners.get(from)?.stream?.close();
    const learner = new Learner(from, join);
    this.#learners.set(from, learner);
    if (this.#phase === "gathering") this.#chooseEpoch();
    else this.#invite(learner);
    this.#giveUpPull(from);
    this.#checkQuorum();
  }

  #chooseEpoch(): void {
    const { promise, epoch: current, heard, quorum, mutant, id } = this.#server;
    if (this.#learners.size + 1 < quorum) return;
    const highest = Math.max(promise?.epoch ?? 0, current, heard);
    this.#epoch = epoch(mutant === "reuse-epoch" ? Math.max(highest, 1) : highest + 1);
    this.#phase = "promising";
    this.#server.makePromise(this.#epoch, id);
    for (const learner of this.#learners.values()) this.#invite(learner);
    this.#findNewest();
  }

  /** A server that comes late with a newer promise can only be had by a newer epoch: this leader starts over. */
  #invite(learner: Learner): void {
    if (!this.#server.mayPromise(this.#epoch, this.leader, learner.promise)) {
      this.#lose(`server ${learner.id} has promised epoch ${learner.promise?.epoch}`);
      return;
    }
    learner.stage = "invited";
    this.#server.send(learner.id, { kind: "newEpoch", attempt: learner.attempt, epoch: this.#epoch });
  }

  #promised(learner: Learner, message: AckEpoch): Fault {
    if (learner.stage !== "invited" || message.epoch !== this.#epoch) {
      return `a promise of epoch ${message.epoch}`;
    }
    learner.stage = "promised";
    learner.currentEpoch = message.currentEpoch;
    learner.lastZxid = message.lastZxid;
    if (this.#phase === "synchronizing" || this.#phase === "established") this.#bringLevel(learner);
    else this.#findNewest();
    return null;
  }

  // Discovery: whose history is it to be?

  #findNewest(): void {
    const { id, epoch: currentEpoch, history, quorum, mutant, promiseIsDurable } = this.#server;
    if (this.#phase !== "promising" || !promiseIsDurable) return;
    const promised = [...this.#learners.values()].filter(({ stage }) => stage === "promised");
    if (promised.length + 1 < quorum) return;
    const source = newest({ id, currentEpoch, lastZxid: history.last }, promised, mutant);
    this.#server.tell({
      kind: "discovered",
      epoch: this.#epoch,
      newest: source.id,
      lastZxid: source.lastZxid,
    });
    this.#server.disarm("discovery");
    this.#server.arm("synchronization", this.#server.options.synchronizationTimeout);
    if (source.id === id) this.#synchronize();
    else this.#pullFrom(source.id);
  }

  #pullFrom(from: ServerId): void {
    const { last } = this.#server.history;
    this.#phase = "pulling";
    this.#pull = { from, intake: new Intake(this.#server, from) };
    this.#server.tell({ kind: "pulling", from, since: last });
    this.#server.send(from, { kind: "pull", epoch: this.#epoch, lastZxid: last });
  }

  #pulled(intake: Intake, lastZxid: Zxid): Fault {
    if (intake.place !== lastZxid) return `it ends with ${printZxid(lastZxid)}, which is not here`;
    const { how, bytes } = intake;
    this.#server.tell({ kind: "pulled", from: intake.from, bytes, how });
    this.#pull = null;
    this.#synchronize();
    return null;
  }

  /** What was pulled so far is a beginning of the newest history, and stays; another may be the newest now. */
  #giveUpPull(from: ServerId): void {
    if (this.#pull?.from !== from) return;
    this.#pull.intake.abandon();
    this.#pull = null;
    this.#phase = "promising";
    this.#findNewest();
  }

  // Synchronization.

  #synchronize(): void {
    this.#phase = "synchronizing";
    this.#server.enterEpoch(this.#epoch);
    for (const learner of this.#learners.values()) {
      if (learner.stage === "promised") this.#bringLevel(learner);
    }
    this.#establish();
  }

  #bringLevel(learner: Learner): void {
    const stream = new Stream(this.#server, learner.id, learner.lastZxid);
    learner.stage = "streaming";
    learner.stream = stream;
    learner.target = this.#server.history.last;
    this.#server.tell({
      kind: "synchronizing",
      follower: learner.id,
      how: stream.how,
      from: learner.lastZxid,
    });
  }

  #sendNext(learner: Learner): void {
    const { stream } = learner;
    if (stream === null) return;
    stream.pump();
    if (learner.newLeader !== null) return;
    const { sent } = stream;
    if (sent === null || sent < learner.target) return;
    learner.newLeader = sent;
    this.#server.send(learner.id, { kind: "newLeader", epoch: this.#epoch, lastZxid: sent });
  }

  #acknowledged(learner: Learner, { epoch: ofEpoch, zxid }: Ack): Fault {
    const { stream, newLeader } = learner;
    if (stream === null) return "an acknowledgement of nothing";
    const fault = stream.stored(zxid);
    if (fault !== null || ofEpoch === NO_EPOCH) return fault;
    if (ofEpoch !== this.#epoch || newLeader === null) return `an acknowledgement in epoch ${ofEpoch}`;
    if (zxid > learner.acknowledged) learner.acknowledged = zxid;
    if (learner.stage === "streaming" && zxid >= newLeader) {
      learner.stage = "synchronized";
      this.#server.tell({ kind: "synchronized", follower: learner.id, bytes: stream.bytes });
      if (this.#phase === "established") this.#welcome(learner);
      else this.#establish();
    }
    return null;
  }

  #establish(): void {
    const { history, epochIsDurable, quorum, mutant } = this.#server;
    if (this.#phase !== "synchronizing") return;
    const level = this.#counting() + (epochIsDurable ? 1 : 0);
    if (level < quorum && mutant !== "serve-before-synchronized") return;
    this.#phase = "established";
    this.#server.disarm("synchronization");
    this.#server.tell({ kind: "established", epoch: this.#epoch, initial: history.last });
    this.#primary = new Primary(this.#server, this.#epoch, this.#learners);
    this.#server.commit(history.last);
    for (const learner of this.#learners.values()) {
      if (learner.stage === "synchronized") this.#welcome(learner);
    }
    const { leader } = this;
    this.#server.output({ kind: "serving", leader, epoch: this.#epoch, settled: history.last });
  }

  #welcome(learner: Learner): void {
    learner.stage = "serving";
    const { committed } = this.#server;
    this.#server.send(learner.id, { kind: "upToDate", epoch: this.#epoch, committed });
  }

  /** While one is being served the others wait: their patience, and the own, starts anew. */
  #goOn(): void {
    this.#advanced = false;
    if (this.#phase !== "pulling" && this.#phase !== "synchronizing") return;
    const { synchronizationTimeout } = this.#server.options;
    this.#server.arm("synchronization", synchronizationTimeout);
    if (!this.#server.hasPassed((synchronizationTimeout / 4) as Duration, this.#saidWait)) return;
    this.#saidWait = this.#server.now;
    for (const { id, stage } of this.#learners.values()) {
      if (stage !== "joined" && stage !== "invited") this.#server.send(id, { kind: "wait" });
    }
  }

  #hear(learner: Learner, message: BroadcastMessage): Fault {
    this.#advanced = true;
    switch (message.kind) {
      case "ack":
        return this.#acknowledged(learner, message);
      case "ackEpoch":
        return this.#promised(learner, message);
      case "snapshotTaken":
        return learner.stream?.taken(message.index) ?? null;
      case "truncate":
      case "propose":
      case "snapshot":
      case "pulled":
        return this.#takeIn(learner, message);
      default:
        return this.#serve(learner, message);
    }
  }

  #takeIn(
    { id }: Learner,
    message: Extract<BroadcastMessage, { kind: "truncate" | "propose" | "snapshot" | "pulled" }>,
  ): Fault {
    if (this.#pull?.from !== id) return `${message.kind} from a follower`;
    const { intake } = this.#pull;
    switch (message.kind) {
      case "truncate":
        return intake.truncate(message.to);
      case "propose":
        return intake.propose(message.transactions);
      case "snapshot":
        return intake.snapshot(message);
      case "pulled":
        return this.#pulled(intake, message.lastZxid);
    }
  }

  #serve(learner: Learner, message: BroadcastMessage): Fault {
    const primary = this.#primary;
    if (primary === null || learner.stage !== "serving") return `${message.kind} before it was up to date`;
    switch (message.kind) {
      case "forward":
        primary.write(message.ticket, message.payload);
        return null;
      case "sync":
        primary.sync({ from: learner, sequence: message.sequence });
        return null;
      case "confirmed":
        if (message.epoch !== this.#epoch) return `it confirms epoch ${message.epoch}`;
        return primary.confirmed(learner, message.sequence);
      default:
        return `${message.kind} from a follower`;
    }
  }

  // Quorums come and go.

  #counting(): number {
    let count = 0;
    for (const learner of this.#learners.values()) if (learner.counts) count += 1;
    return count;
  }

  #drop(server: ServerId): void {
    const learner = this.#learners.get(server);
    if (learner === undefined) return;
    this.#learners.delete(server);
    this.#partFrom(learner);
    this.#giveUpPull(server);
    this.#checkQuorum();
  }

  #partFrom({ id, stage, attempt, stream }: Learner): void {
    stream?.close();
    this.#server.send(id, stage === "joined" ? { kind: "refuse", attempt } : { kind: "leave" });
  }

  /** Before it is established, a server that left may come again, and a timer ends the waiting. */
  #checkQuorum(): void {
    if (this.#phase !== "established" || this.#server.mutant === "stale-leader-serves") return;
    if (this.#counting() + 1 < this.#server.quorum) this.#lose("too few follow");
  }
}
