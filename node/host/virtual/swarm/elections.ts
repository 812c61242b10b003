/**
 * Nobody is followed who did not say that it stands, or that it leads: whom a server elects was proposed to
 * it in that search, or told it so itself. Anything else may be a dead leader remembered by those who have
 * not noticed yet.
 */

import type { ServerId } from "../../../core/identity.ts";
import type { ElectionMessage } from "../../../election/election.ts";
import type { ReplicaEvent } from "../../../telemetry/event.ts";
import { Violation } from "./sequence.ts";

export class Elections {
  /** Who was proposed, or spoke, to each server since it last began to look. */
  readonly #known = new Map<ServerId, Set<ServerId>>();

  heard(server: ServerId, from: ServerId, message: ElectionMessage): void {
    const known = this.#known.get(server);
    known?.add(from);
    if (message.kind === "proposal") known?.add(message.candidate);
  }

  told(server: ServerId, event: ReplicaEvent): void {
    if (event.kind === "looking") this.#known.set(server, new Set([server]));
    if (event.kind !== "elected" || this.#known.get(server)?.has(event.leader)) return;
    throw new Violation(`p${server} elected p${event.leader}, whom nobody proposed and who did not vote`);
  }
}
