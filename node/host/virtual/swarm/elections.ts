/**
 * Nobody is followed who did not say that it stands, or that it leads: whom a server elects was proposed to
 * it in that search, or told it so itself. Anything else may be a dead leader remembered by those who have
 * not noticed yet. An election that remembers who spoke while it had a leader may elect such a one. Whom a
 * message proposes only its election knows; where it does not say, nothing is demanded.
 *
 * Whom a leader names when it gives its place away is followed without more.
 *
 * And nobody leads by less than a quorum: in the round in which a leader elects itself so many have stood.
 */

import type { ServerId } from "../../../core/identity.ts";
import { majority } from "../../../core/quorum.ts";
import type { Round } from "../../../core/score.ts";
import { type Ballot, readBallot } from "../../../election/ballot.ts";
import { type ElectionChoice, type ElectionName, entryOf, valuesOf } from "../../../election/catalog.ts";
import type { ElectionEntry } from "../../../election/entry.ts";
import type { ReplicaEvent } from "../../../telemetry/event.ts";
import { candidateOf } from "../../../telemetry/facts.ts";
import { Violation } from "./sequence.ts";

export class Elections {
  readonly #name: ElectionName;
  readonly #entry: ElectionEntry;
  /** Who was proposed, or spoke, to each server since it last began to look. */
  readonly #known = new Map<ServerId, Set<ServerId>>();
  /** Who spoke, or was proposed, to each server since it last elected. */
  readonly #spoke = new Map<ServerId, Set<ServerId>>();

  /** Whom its leader named, to each server that has not elected since. */
  readonly #named = new Map<ServerId, ServerId>();
  /** Who has stood in each round. */
  readonly #stood = new Map<number, Set<ServerId>>();
  readonly #fewest: number;

  constructor(servers: readonly ServerId[], choice: ElectionChoice) {
    this.#name = choice.name;
    this.#entry = entryOf(choice.name);
    const isDemanded = this.#entry.quorumStands?.(valuesOf(choice)) ?? false;
    this.#fewest = isDemanded ? majority(servers.length) : 0;
  }

  heard(server: ServerId, from: ServerId, ballot: Ballot): void {
    const known = this.#known.get(server);
    known?.add(from);
    this.#spoke.get(server)?.add(from);
    const message = readBallot(this.#name, this.#entry.codec, ballot);
    if (!message.ok) throw new Violation(`p${from} said what p${server} cannot read: ${message.reason}`);
    for (const proposed of this.#entry.proposes?.(message.value) ?? []) {
      known?.add(proposed);
      this.#spoke.get(server)?.add(proposed);
    }
  }

  named(server: ServerId, heir: ServerId): void {
    this.#named.set(server, heir);
  }

  told(server: ServerId, event: ReplicaEvent): void {
    if (event.kind === "handing") this.named(server, event.to);
    if (event.kind === "kept" && this.#named.get(server) === event.to) this.#named.delete(server);
    if (event.kind === "looking") {
      const remembered = this.#entry.remembers === true ? (this.#spoke.get(server) ?? []) : [];
      this.#known.set(server, new Set([server, ...remembered]));
    }
    if (event.kind === "observed") this.#stand(server, candidateOf(event.facts)?.round);
    if (event.kind !== "elected") return;
    this.#spoke.set(server, new Set());
    const named = this.#named.get(server);
    this.#named.delete(server);
    if (event.leader === named) return;
    if (event.leader === server) this.#demandQuorum(server, event.round);
    if (this.#entry.proposes === undefined) return;
    if (this.#known.get(server)?.has(event.leader)) return;
    throw new Violation(`p${server} elected p${event.leader}, whom nobody proposed and who did not vote`);
  }

  #stand(server: ServerId, inRound: number | undefined): void {
    if (inRound === undefined) return;
    this.#stood.set(inRound, (this.#stood.get(inRound) ?? new Set()).add(server));
  }

  #demandQuorum(server: ServerId, inRound: Round): void {
    const stood = this.#stood.get(inRound)?.size ?? 0;
    if (stood >= this.#fewest) return;
    throw new Violation(`p${server} elected itself in round ${inRound}, in which only ${stood} had stood`);
  }
}
