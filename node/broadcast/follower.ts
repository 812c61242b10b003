/**
 * A server that follows: it promises the leader's epoch, lets itself be brought level, and then logs what is
 * proposed and executes what is committed.
 *
 *   joining -> promising -> waiting -> accepting -> serving
 *
 * From `promising` on the leader may ask for what only this server has (`pull`). Whatever the leader says
 * before the epoch of the present attempt belongs to an earlier one and is passed over.
 */

import { assert } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import type { Ticket } from "../core/transaction.ts";
import { type Epoch, NO_EPOCH, printZxid, type Zxid, ZERO } from "../core/zxid.ts";
import type { BroadcastTimer } from "./broadcast.ts";
import { Intake } from "./intake.ts";
import type { BroadcastMessage, Forward, NewEpoch, NewLeader, Pull, Synced, UpToDate } from "./message.ts";
import type { Role } from "./role.ts";
import type { Fault, ServerState } from "./server-state.ts";
import { Stream } from "./stream.ts";

type Phase =
  /** The join is sent, or will be once the leader is connected. */
  | "joining"
  /** The promise is on its way to the disk. */
  | "promising"
  /** The leader knows what is here; it pulls, or brings this server level. */
  | "waiting"
  /** Level, and about to be a member of the epoch. */
  | "accepting"
  | "serving";

export class Follower implements Role {
  readonly leader: ServerId;
  over: string | null = null;
  heir: ServerId | null = null;
  /** While the leader pulls from here nothing is executed, and so nothing forgotten. */
  readonly pinned = Number.POSITIVE_INFINITY;
  readonly #server: ServerState;
  readonly #attempt: number;
  readonly #intake: Intake;
  #phase: Phase = "joining";
  #epoch: Epoch = NO_EPOCH;
  #settled: Zxid = ZERO;
  /** What the leader pulls from here. */
  #source: Stream | null = null;
  /** Answers to syncs that wait until so much is executed. */
  #syncs: Synced[] = [];
  /**
   * Writes that wait for the epoch's first commit, and the bytes of those that did not; see `FIRST_BYTES`.
   */
  #backlog: Forward[] | null = [];
  #forwarded = 0;

  constructor(server: ServerState, leader: ServerId, attempt: number) {
    this.#server = server;
    this.leader = leader;
    this.#attempt = attempt;
    this.#intake = new Intake(server, leader);
    server.tell({ kind: "joining", leader });
    server.arm("join", server.joinTimeout);
    this.admitted();
  }

  admitted(): void {
    if (this.#phase === "joining" && this.#server.reachable.has(this.leader)) this.#join();
  }

  get serves(): boolean {
    return this.#phase === "serving";
  }

  connected(server: ServerId): void {
    if (server === this.leader) this.admitted();
  }

  unreachable(server: ServerId): void {
    if (server === this.leader) this.#lose("the leader cannot be reached");
  }

  message(from: ServerId, message: BroadcastMessage): void {
    if (from !== this.leader) return;
    const fault = this.#phase === "joining" ? this.#beforeEpoch(message) : this.#withinEpoch(message);
    if (fault === null || this.over !== null) return;
    this.#server.close(this.leader, fault);
    this.#lose(fault);
  }

  timeout(timer: BroadcastTimer): void {
    if (timer === "join")
      this.#lose(
        this.#server.newDisk.takesPart ? "the leader did not answer" : this.#server.newDisk.hindrance,
      );
    else if (timer === "synchronization") this.#lose("the leader did not go on");
  }

  durable(): void {
    const { history, epoch, newDisk, promiseIsDurable } = this.#server;
    // A slow disk advances too.
    if (this.#phase === "waiting" || this.#phase === "accepting") this.#advance();
    if (this.#phase !== "promising" || !promiseIsDurable) return;
    this.#phase = "waiting";
    this.#server.send(this.leader, {
      kind: "ackEpoch",
      epoch: this.#epoch,
      currentEpoch: epoch,
      lastZxid: history.last,
      member: newDisk.isMember,
    });
  }

  write(ticket: Ticket, payload: Uint8Array): void {
    assert(this.#phase === "serving", "a write before this server serves");
    const forward: Forward = { kind: "forward", ticket, payload };
    if (this.#backlog !== null && this.#forwarded > FIRST_BYTES) {
      this.#backlog.push(forward);
      return;
    }
    this.#forwarded += payload.length;
    this.#server.send(this.leader, forward);
  }

  sync(sequence: number): void {
    assert(this.#phase === "serving", "a sync before this server serves");
    this.#server.send(this.leader, { kind: "sync", sequence });
  }

  turn(): void {
    if (this.#source !== null) this.#feed(this.#source);
    if (this.#phase === "joining" || this.#phase === "promising") return;
    const member =
      (this.#phase === "accepting" || this.#phase === "serving") &&
      (this.#server.epochIsDurable || this.#server.mutant === "acknowledge-before-durable");
    this.#intake.acknowledge(member ? this.#epoch : NO_EPOCH);
  }

  end(): void {
    this.#server.disarm("join");
    this.#server.disarm("synchronization");
    this.#server.send(this.leader, { kind: "leave" });
    this.#source?.close();
  }

  #join(): void {
    if (!this.#server.newDisk.takesPart) return;
    const promise = this.#server.promiseTo(this.leader);
    this.#server.send(this.leader, { kind: "join", attempt: this.#attempt, promise });
  }

  #lose(reason: string): void {
    this.over ??= reason;
  }

  #beforeEpoch(message: BroadcastMessage): Fault {
    if (message.kind === "newEpoch" && message.attempt === this.#attempt) return this.#promise(message);
    if (message.kind === "refuse" && message.attempt === this.#attempt) {
      this.#lose("the server that was to lead does not");
    }
    return null;
  }

  #promise({ epoch }: NewEpoch): Fault {
    if (!this.#server.mayPromise(epoch, this.leader)) return `epoch ${epoch} is not above the one promised`;
    this.#epoch = epoch;
    this.#phase = "promising";
    this.#server.makePromise(epoch, this.leader);
    this.#server.disarm("join");
    this.#advance();
    this.durable();
    return null;
  }

  /** The leader is at work: patience starts anew. */
  #advance(): void {
    if (this.#phase !== "serving") {
      this.#server.arm("synchronization", this.#server.synchronizationTimeout);
    }
  }

  #withinEpoch(message: BroadcastMessage): Fault {
    if (this.#phase === "promising" && !MEANWHILE.has(message.kind)) {
      return `${message.kind} before the epoch was acknowledged`;
    }
    this.#advance();
    switch (message.kind) {
      case "leave":
        this.#lose("the leader leads no longer");
        return null;
      case "handOver":
        return this.#turnTo(message.to);
      case "wait":
        return null;
      case "pull":
        return this.#open(message);
      case "ack":
        return this.#source?.stored(message.zxid) ?? null;
      case "snapshotTaken":
        return this.#source?.taken(message.index) ?? null;
      case "truncate":
        return this.#intake.truncate(message.to);
      case "snapshot":
        return this.#intake.snapshot(message) ?? this.#execute();
      case "propose":
        return this.#intake.propose(message.transactions) ?? this.#execute();
      case "newLeader":
        return this.#accept(message);
      case "upToDate":
        return this.#serve(message);
      default:
        return this.#whileServing(message);
    }
  }

  #whileServing(message: BroadcastMessage): Fault {
    if (this.#phase !== "serving") return `${message.kind} before the epoch was established`;
    switch (message.kind) {
      case "commit":
        if (message.epoch !== this.#epoch) return `a commit of epoch ${message.epoch}`;
        this.#server.commit(message.zxid);
        this.#answerSyncs();
        this.#forwardBacklog();
        return null;
      case "synced":
        this.#syncs.push(message);
        this.#answerSyncs();
        return null;
      case "confirm":
        if (message.epoch !== this.#epoch) return `asked to confirm epoch ${message.epoch}`;
        this.#server.send(this.leader, { ...message, kind: "confirmed" });
        return null;
      default:
        return `${message.kind} from the leader`;
    }
  }

  #turnTo(heir: ServerId): Fault {
    if (heir === this.leader || !this.#server.servers.includes(heir))
      return `it hands over to server ${heir}`;
    this.heir = heir;
    this.#lose(`the leader gives its place to server ${heir}`);
    return null;
  }

  #open({ epoch, lastZxid }: Pull): Fault {
    if (this.#phase !== "waiting" || epoch !== this.#epoch) return `a pull in epoch ${epoch}`;
    this.#source?.close();
    this.#source = new Stream(this.#server, this.leader, lastZxid);
    return null;
  }

  #feed(source: Stream): void {
    source.pump();
    if (!source.atEnd) return;
    this.#server.send(this.leader, { kind: "pulled", lastZxid: this.#server.history.last });
    this.#source = null;
  }

  #accept({ epoch, lastZxid }: NewLeader): Fault {
    if (this.#phase !== "waiting" || epoch !== this.#epoch) return `a new leader of epoch ${epoch}`;
    if (this.#intake.place !== lastZxid) return `level with ${printZxid(lastZxid)}, which is not here`;
    this.#phase = "accepting";
    this.#settled = lastZxid;
    this.#server.enterEpoch(epoch);
    return null;
  }

  #serve({ epoch, committed }: UpToDate): Fault {
    if (this.#phase !== "accepting" || epoch !== this.#epoch) return `up to date in epoch ${epoch}`;
    this.#phase = "serving";
    this.#server.disarm("synchronization");
    this.#server.commit(committed);
    this.#server.output({ kind: "serving", leader: this.leader, epoch, settled: this.#settled });
    return null;
  }

  /** More is here: perhaps its commit came before it did. */
  #execute(): Fault {
    if (this.#server.mutant === "deliver-before-commit") this.#server.commit(this.#server.history.last);
    if (this.#phase === "serving") {
      this.#server.execute();
      this.#answerSyncs();
    }
    return null;
  }

  #forwardBacklog(): void {
    for (const forward of this.#backlog ?? []) this.#server.send(this.leader, forward);
    this.#backlog = null;
  }

  #answerSyncs(): void {
    const { applied } = this.#server.application;
    let answered = 0;
    for (const { sequence, committed } of this.#syncs) {
      if (committed > applied) break;
      this.#server.output({ kind: "synced", sequence });
      answered += 1;
    }
    if (answered > 0) this.#syncs.splice(0, answered);
  }
}

/** What a leader may say before it knows of the promise. */
const MEANWHILE: ReadonlySet<BroadcastMessage["kind"]> = new Set(["leave", "handOver", "wait"]);

/**
 * A connection takes ten segments in its first round trip (RFC 6928). Whatever clients wrote while nobody led
 * is more, and would delay the acknowledgements behind it by two round trips and more; so the rest waits
 * until the leader has shown by a commit that it has heard a quorum.
 */
const FIRST_BYTES = 8 * 1024;
