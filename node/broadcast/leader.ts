/**
 * A server that leads: it finds an epoch and its initial history (`discovery.ts`), brings the others level
 * with it, and once a quorum is level the epoch is established and served (`primary.ts`).
 *
 *   discovering -> synchronizing -> established
 *
 * Servers that come late go through the same steps one by one, whatever the phase.
 */

import { assert } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import type { Duration, Instant } from "../core/time.ts";
import type { Ticket } from "../core/transaction.ts";
import { NO_EPOCH } from "../core/zxid.ts";
import type { BroadcastTimer } from "./broadcast.ts";
import { Discovery } from "./discovery.ts";
import { Handover } from "./handover.ts";
import { Learner } from "./learner.ts";
import type { Ack, AckEpoch, BroadcastMessage, Join } from "./message.ts";
import { Primary } from "./primary.ts";
import type { Role } from "./role.ts";
import type { Fault, ServerState } from "./server-state.ts";
import { Stream } from "./stream.ts";

export class Leader implements Role {
  readonly leader: ServerId;
  over: string | null = null;
  heir: ServerId | null = null;
  readonly #server: ServerState;
  readonly #learners = new Map<ServerId, Learner>();
  readonly #discovery: Discovery;
  #phase: "discovering" | "synchronizing" | "established" = "discovering";
  #primary: Primary | null = null;
  #handover: Handover | null = null;
  /** Something was taken in, acknowledged or written to the disk since the last turn. */
  #advanced = false;
  #saidWait: Instant;

  constructor(server: ServerState, joins: Iterable<readonly [ServerId, Join]>) {
    this.#server = server;
    this.leader = server.id;
    this.#saidWait = server.now;
    for (const [from, join] of joins) this.#learners.set(from, new Learner(from, join));
    this.#discovery = new Discovery(server, this.#learners);
    this.#synchronize();
  }

  get pinned(): number {
    let pinned = Number.POSITIVE_INFINITY;
    for (const learner of this.#learners.values()) pinned = Math.min(pinned, learner.pinned);
    return pinned;
  }

  connected(): void {}

  admitted(): void {
    this.#discovery.admitted();
    this.#synchronize();
  }

  unreachable(server: ServerId): void {
    this.#drop(server);
  }

  message(from: ServerId, message: BroadcastMessage): void {
    if (message.kind === "join") {
      this.#join(from, message);
      return;
    }
    const learner = this.#learners.get(from);
    // What a server said before it left, or was dropped, may still arrive; so may its answer to an old join.
    if (learner === undefined || message.kind === "refuse") return;
    if (message.kind === "leave") {
      this.#drop(from);
      return;
    }
    const fault = this.#hear(learner, message);
    this.#synchronize();
    if (fault === null) return;
    this.#server.close(from, fault);
    this.#drop(from);
  }

  timeout(timer: BroadcastTimer): void {
    if (timer === "discovery") this.#lose(this.#discovery.shortage);
    else if (timer === "synchronization") this.#lose("no quorum could be brought level");
    else if (timer === "transfer") this.#handover?.keep("it did not come level in time");
  }

  durable(): void {
    this.#advanced = true;
    this.#discovery.findNewest();
    this.#synchronize();
    this.#establish();
  }

  write(ticket: Ticket, payload: Uint8Array): void {
    assert(this.#handover !== null, "a write before this server serves");
    this.#handover.write({ ticket, payload });
  }

  transfer(to: ServerId): void {
    if (this.#handover !== null) this.#handover.begin(to);
    else this.#server.tell({ kind: "kept", to, reason: "this server does not serve yet" });
  }

  sync(sequence: number): void {
    assert(this.#primary !== null, "a sync before this server serves");
    this.#primary.sync({ from: null, sequence });
  }

  turn(): void {
    this.#discovery.turn();
    this.#primary?.turn();
    this.#makeWay();
    for (const learner of this.#learners.values()) this.#sendNext(learner);
    if (this.#advanced) this.#goOn();
    if (this.#primary?.exhausted) this.#lose("the epoch has no zxids left");
  }

  #makeWay(): void {
    const heir = this.#handover?.heir ?? null;
    if (heir === null || this.over !== null) return;
    this.heir = heir;
    this.#lose(`it gives its place to server ${heir}`);
  }

  end(): void {
    this.#server.disarm("discovery");
    this.#server.disarm("synchronization");
    this.#server.disarm("transfer");
    for (const learner of this.#learners.values()) this.#partFrom(learner);
  }

  #lose(reason: string): void {
    this.over ??= reason;
  }

  #join(from: ServerId, join: Join): void {
    this.#drop(from);
    if (this.over !== null) return;
    const learner = new Learner(from, join);
    this.#learners.set(from, learner);
    this.#discovery.joined(learner);
    this.#synchronize();
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
        return this.#discovery.takeIn(learner, message);
      default:
        return this.#serve(learner, message);
    }
  }

  #promised(learner: Learner, message: AckEpoch): Fault {
    const fault = this.#discovery.promised(learner, message);
    if (fault === null && this.#phase !== "discovering") this.#bringLevel(learner);
    return fault;
  }

  #serve(learner: Learner, message: BroadcastMessage): Fault {
    const primary = this.#primary;
    if (primary === null || learner.stage !== "serving") return `${message.kind} before it was up to date`;
    switch (message.kind) {
      case "forward":
        this.#handover?.write(message);
        return null;
      case "sync":
        primary.sync({ from: learner, sequence: message.sequence });
        return null;
      case "confirmed":
        if (message.epoch !== this.#discovery.epoch) return `it confirms epoch ${message.epoch}`;
        return primary.confirmed(learner, message.sequence);
      default:
        return `${message.kind} from a follower`;
    }
  }

  // Synchronization.

  /** Once discovery has come to its end, or cannot. */
  #synchronize(): void {
    const { epoch, outdatedBy, isSettled } = this.#discovery;
    // A server with a newer promise can only be had by a newer epoch: this leader starts over.
    if (outdatedBy !== null) this.#lose(`server ${outdatedBy.id} has promised a newer epoch`);
    if (this.#phase !== "discovering" || !isSettled) return;
    this.#phase = "synchronizing";
    this.#server.enterEpoch(epoch);
    for (const learner of this.#learners.values()) {
      if (learner.stage === "promised") this.#bringLevel(learner);
    }
    this.#establish();
  }

  #bringLevel(learner: Learner): void {
    const { id: follower, lastZxid: from } = learner;
    const stream = new Stream(this.#server, follower, from);
    learner.stage = "streaming";
    learner.stream = stream;
    learner.target = this.#server.history.last;
    this.#server.tell({ kind: "synchronizing", follower, how: stream.how, from });
  }

  #sendNext(learner: Learner): void {
    const { stream } = learner;
    if (stream === null) return;
    stream.pump();
    if (learner.newLeader !== null) return;
    const { sent } = stream;
    if (sent === null || sent < learner.target) return;
    learner.newLeader = sent;
    this.#server.send(learner.id, { kind: "newLeader", epoch: this.#discovery.epoch, lastZxid: sent });
  }

  #acknowledged(learner: Learner, { epoch, zxid }: Ack): Fault {
    const { stream, newLeader, id: follower } = learner;
    if (stream === null) return "an acknowledgement of nothing";
    const fault = stream.stored(zxid);
    if (fault !== null || epoch === NO_EPOCH) return fault;
    if (epoch !== this.#discovery.epoch || newLeader === null) return `an acknowledgement in epoch ${epoch}`;
    if (zxid > learner.acknowledged) learner.acknowledged = zxid;
    if (learner.stage === "streaming" && zxid >= newLeader) {
      learner.stage = "synchronized";
      this.#server.tell({ kind: "synchronized", follower, bytes: stream.bytes });
      if (this.#phase === "established") this.#welcome(learner);
      else this.#establish();
    }
    return null;
  }

  #establish(): void {
    const { history, epochIsDurable, quorum, mutant, id: leader } = this.#server;
    const { epoch } = this.#discovery;
    if (this.#phase !== "synchronizing") return;
    const level = this.#counting() + (epochIsDurable ? 1 : 0);
    if (level < quorum && mutant !== "serve-before-synchronized") return;
    this.#phase = "established";
    this.#server.disarm("synchronization");
    this.#server.tell({ kind: "established", epoch, initial: history.last });
    this.#primary = new Primary(this.#server, epoch, this.#learners);
    this.#handover = new Handover(this.#server, this.#learners, this.#primary);
    this.#server.commit(history.last);
    for (const learner of this.#learners.values()) {
      if (learner.stage === "synchronized") this.#welcome(learner);
    }
    this.#server.output({ kind: "serving", leader, epoch, settled: history.last });
  }

  #welcome(learner: Learner): void {
    learner.stage = "serving";
    const { committed } = this.#server;
    this.#server.send(learner.id, { kind: "upToDate", epoch: this.#discovery.epoch, committed });
    this.#primary?.welcome(learner);
  }

  /** While one is being served the others wait: their patience, and the own, starts anew. */
  #goOn(): void {
    this.#advanced = false;
    if (this.#phase !== "synchronizing" && !this.#discovery.pulls) return;
    const { synchronizationTimeout } = this.#server;
    this.#server.arm("synchronization", synchronizationTimeout);
    if (!this.#server.hasPassed((synchronizationTimeout / 4) as Duration, this.#saidWait)) return;
    this.#saidWait = this.#server.now;
    for (const { id, stage } of this.#learners.values()) {
      if (stage !== "joined" && stage !== "invited") this.#server.send(id, { kind: "wait" });
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
    this.#discovery.gone(server);
    this.#handover?.gone(server);
    this.#synchronize();
    this.#checkQuorum();
  }

  #partFrom({ id, stage, attempt, stream, counts }: Learner): void {
    stream?.close();
    if (counts) this.#server.tell({ kind: "parted", follower: id });
    this.#server.send(id, this.#farewell(stage, attempt));
  }

  #farewell(stage: Learner["stage"], attempt: number): BroadcastMessage {
    if (stage === "joined") return { kind: "refuse", attempt };
    return this.heir === null ? { kind: "leave" } : { kind: "handOver", to: this.heir };
  }

  /** Before the epoch is established, a server that left may come again, and a timer ends the waiting. */
  #checkQuorum(): void {
    if (this.#phase !== "established" || this.#server.mutant === "stale-leader-serves") return;
    if (this.#counting() + 1 < this.#server.quorum) this.#lose("too few follow");
  }
}
