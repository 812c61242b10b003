/**
 * Discovery, at the server that leads: find an epoch that a quorum promises, and the newest history among
 * that quorum.
 *
 *   gathering -> promising -> pulling -> settled
 *
 * The epoch is above all that was promised to others; whoever promises it follows no older leader any more,
 * so that no history can become newer behind this leader's back. If another's is newer than the own it is
 * fetched before anything else.
 */

import type { ServerId } from "../core/identity.ts";
import { type Epoch, NO_EPOCH, printZxid, type Zxid } from "../core/zxid.ts";
import { Intake } from "./intake.ts";
import type { Learner } from "./learner.ts";
import type { AckEpoch, BroadcastMessage } from "./message.ts";
import { holdsAll, newest } from "./newest.ts";
import { majority } from "../core/quorum.ts";
import type { Fault, ServerState } from "./server-state.ts";

export type HistoryMessage = Extract<
  BroadcastMessage,
  { kind: "truncate" | "propose" | "snapshot" | "pulled" }
>;

type Phase =
  /** Waiting for a quorum to join. */
  | "gathering"
  /** The epoch is chosen; waiting for a quorum to promise it. */
  | "promising"
  /** Fetching the newest history. */
  | "pulling"
  /** The initial history of the epoch is here. */
  | "settled";

export class Discovery {
  epoch: Epoch = NO_EPOCH;
  /** Who must be beaten by a newer epoch, when this one cannot be had. */
  outdatedBy: Learner | null = null;
  readonly #server: ServerState;
  readonly #learners: ReadonlyMap<ServerId, Learner>;
  #phase: Phase = "gathering";
  #pull: { readonly from: ServerId; readonly intake: Intake } | null = null;

  constructor(server: ServerState, learners: ReadonlyMap<ServerId, Learner>) {
    this.#server = server;
    this.#learners = learners;
    server.arm("discovery", server.joinTimeout);
    this.#gather();
  }

  get pulls(): boolean {
    return this.#phase === "pulling";
  }

  get isSettled(): boolean {
    return this.#phase === "settled";
  }

  /** This server may lead now. */
  admitted(): void {
    if (this.#phase === "gathering") this.#gather();
  }

  /** One more is among the learners. */
  joined(learner: Learner): void {
    if (this.#phase === "gathering") this.#gather();
    else this.#invite(learner);
  }

  promised(learner: Learner, { epoch: promised, currentEpoch, lastZxid, member }: AckEpoch): Fault {
    if (learner.stage !== "invited" || promised !== this.epoch) return `a promise of epoch ${promised}`;
    if (currentEpoch > promised) return `a member of epoch ${currentEpoch} that promises epoch ${promised}`;
    learner.stage = "promised";
    learner.currentEpoch = currentEpoch;
    learner.lastZxid = lastZxid;
    learner.member = member;
    this.findNewest();
    return null;
  }

  /** Called whenever a promise, the own one included, may have completed the quorum. */
  findNewest(): void {
    const { id, servers, epoch: currentEpoch, history, newDisk, mutant, promiseIsDurable } = this.#server;
    if (this.#phase !== "promising" || !promiseIsDurable) return;
    const promised = this.#promised();
    const own = { id, currentEpoch, lastZxid: history.last, member: newDisk.isMember };
    if (!holdsAll([own, ...promised], servers.length)) return;
    const source = newest(own, promised, mutant);
    const { lastZxid } = source;
    this.#server.disarm("discovery");
    this.#server.arm("synchronization", this.#server.synchronizationTimeout);
    this.#server.tell({ kind: "discovered", epoch: this.epoch, newest: source.id, lastZxid });
    if (source.id === id) this.#phase = "settled";
    else this.#pullFrom(source.id);
  }

  /** Why it has not come to its end. */
  get shortage(): string {
    const { id, newDisk, quorum, servers } = this.#server;
    if (!newDisk.takesPart) return newDisk.hindrance;
    const promised = this.#promised();
    if (promised.length + 1 < quorum) return "no quorum joined and promised";
    const members = promised.filter(({ member }) => member).map(({ id: learner }) => learner);
    if (newDisk.isMember) members.unshift(id);
    return (
      `a quorum joined, but of these only ${members.join(", ") || "none"} still has the disk that it ` +
      `acknowledged writes with, and ${majority(servers.length)} are needed. Start the others with theirs; ` +
      "if those are gone for good, polebench salvage goes on without what they alone had"
    );
  }

  takeIn({ id }: Learner, message: HistoryMessage): Fault {
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

  /**
   * What was pulled from one who is gone is a beginning of the newest history, and stays; another may be
   * newest now.
   */
  gone(server: ServerId): void {
    if (this.#pull?.from !== server) return;
    this.#pull = null;
    this.#phase = "promising";
    this.findNewest();
  }

  turn(): void {
    this.#pull?.intake.acknowledge(NO_EPOCH);
  }

  #promised(): Learner[] {
    return [...this.#learners.values()].filter(({ stage }) => stage === "promised");
  }

  #gather(): void {
    const { quorum, id, newDisk } = this.#server;
    if (this.#learners.size + 1 < quorum || !newDisk.takesPart) return;
    this.epoch = this.#server.nextEpoch();
    this.#phase = "promising";
    this.#server.makePromise(this.epoch, id);
    for (const learner of this.#learners.values()) this.#invite(learner);
    this.findNewest();
  }

  #invite(learner: Learner): void {
    if (!this.#server.mayPromise(this.epoch, this.#server.id, learner.promise)) {
      this.outdatedBy = learner;
      return;
    }
    learner.stage = "invited";
    this.#server.send(learner.id, { kind: "newEpoch", attempt: learner.attempt, epoch: this.epoch });
  }

  #pullFrom(from: ServerId): void {
    const { last } = this.#server.history;
    this.#phase = "pulling";
    this.#pull = { from, intake: new Intake(this.#server, from) };
    this.#server.tell({ kind: "pulling", from, since: last });
    this.#server.send(from, { kind: "pull", epoch: this.epoch, lastZxid: last });
  }

  #pulled({ place, from, how, bytes }: Intake, lastZxid: Zxid): Fault {
    if (place !== lastZxid) return `it ends with ${printZxid(lastZxid)}, which is not here`;
    this.#server.tell({ kind: "pulled", from, bytes, how });
    this.#pull = null;
    this.#phase = "settled";
    return null;
  }
}
