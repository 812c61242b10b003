/**
 * Nobody is followed who did not say that it stands, or that it leads: whom a server elects was proposed to
 * it in that search, or told it so itself. Anything else may be a dead leader remembered by those who have
 * not noticed yet. An election that remembers who spoke while it had a leader may elect such a one. Whom a
 * message proposes only its election knows; where it does not say, nothing is demanded.
 */

import type { ServerId } from "../../../core/identity.ts";
import { type Ballot, readBallot } from "../../../election/ballot.ts";
import { type ElectionName, entryOf } from "../../../election/catalog.ts";
import type { ElectionEntry } from "../../../election/entry.ts";
import type { ReplicaEvent } from "../../../telemetry/event.ts";
import { Violation } from "./sequence.ts";

export class Elections {
  readonly #name: ElectionName;
  readonly #entry: ElectionEntry;
  /** Who was proposed, or spoke, to each server since it last began to look. */
  readonly #known = new Map<ServerId, Set<ServerId>>();
  /** Who spoke to each server since it last elected. */
  readonly #spoke = new Map<ServerId, Set<ServerId>>();

  constructor(name: ElectionName) {
    this.#name = name;
    this.#entry = entryOf(name);
  }

  heard(server: ServerId, from: ServerId, ballot: Ballot): void {
    const known = this.#known.get(server);
    known?.add(from);
    this.#spoke.get(server)?.add(from);
    const message = readBallot(this.#name, this.#entry.codec, ballot);
    if (!message.ok) throw new Violation(`p${from} said what p${server} cannot read: ${message.reason}`);
    for (const proposed of this.#entry.proposes?.(message.value) ?? []) known?.add(proposed);
  }

  told(server: ServerId, event: ReplicaEvent): void {
    if (event.kind === "looking") {
      const remembered = this.#entry.remembers === true ? (this.#spoke.get(server) ?? []) : [];
      this.#known.set(server, new Set([server, ...remembered]));
    }
    if (event.kind === "elected") this.#spoke.set(server, new Set());
    if (event.kind !== "elected" || this.#entry.proposes === undefined) return;
    if (this.#known.get(server)?.has(event.leader)) return;
    throw new Violation(`p${server} elected p${event.leader}, whom nobody proposed and who did not vote`);
  }
}
