/**
 * A server whose disk is new cannot tell whether it is new itself, or has forgotten what it promised and
 * acknowledged. So it takes no part until it has asked the others.
 *
 *   fresh -> founding    all others have answered, and none of them knows an epoch: nothing can be forgotten
 *   fresh -> returning   all others have answered, and some know an epoch
 *
 * A founder is a member like any other, and its disk says so. One that returns makes the newest promise of
 * all others its own, and follows no older epoch; no epoch begins by its promise; and it counts only when it
 * has been brought level by the leader of such an epoch. Its former life may have promised a newer one to
 * somebody: he is among those asked, and by answering shows that he has seen the end of that life and counts
 * on it no more. Or he did before; then a quorum has promised that epoch, some of these have said so here,
 * and no older one is followed.
 *
 * The operator may say that some others do not run: who does not run has no promise in mind. And that there
 * never was an epoch: then a quorum that knows of none founds the ensemble.
 */

import type { ServerId } from "../core/identity.ts";
import type { Recovered } from "../core/record.ts";
import { NO_EPOCH } from "../core/zxid.ts";
import type { Recalled } from "./message.ts";
import type { Promised, ServerState } from "./server-state.ts";

type Standing = "fresh" | "returning" | "member";

export class NewDisk {
  readonly #server: ServerState;
  readonly #answers = new Map<ServerId, Recalled>();
  #standing: Standing = "member";

  constructor(server: ServerState) {
    this.#server = server;
  }

  start({ epoch, founder, promise }: Recovered): void {
    const { initial } = this.#server.options;
    if (epoch > NO_EPOCH || founder || this.#server.mutant === "new-disk-believed") return;
    // It promised nothing before it had asked.
    this.#standing = promise === null || initial ? "fresh" : "returning";
    this.#conclude();
  }

  /** It may follow and lead. */
  get takesPart(): boolean {
    return this.#standing !== "fresh";
  }

  /** It has all that it ever acknowledged, and knows all that it ever promised. */
  get isMember(): boolean {
    return this.#standing === "member" || this.#server.epoch > NO_EPOCH;
  }

  connected(other: ServerId): void {
    if (this.#standing === "fresh" && !this.#answers.has(other)) this.#server.send(other, { kind: "recall" });
  }

  hear(from: ServerId, answer: Recalled): void {
    if (this.#standing !== "fresh") return;
    this.#answers.set(from, answer);
    this.#conclude();
  }

  /** Why it takes no part. */
  get hindrance(): string {
    const missing = this.#unheard();
    return (
      `the disk of this server is new, and it has not heard from server ${missing.join(", ")}. Start that; ` +
      "or, if it cannot run, and this ensemble has run before, start this one with --not-running " +
      `${missing.join()}; if the ensemble has never run, start a quorum with --initial yes`
    );
  }

  #unheard(): ServerId[] {
    return this.#server.servers.filter((id) => id !== this.#server.id && !this.#answers.has(id));
  }

  #conclude(): void {
    if (this.#standing !== "fresh") return;
    const { servers, quorum, options } = this.#server;
    const answers = [...this.#answers.values()];
    const someKnow = answers.some(({ epoch }) => epoch > NO_EPOCH);
    const unheard = this.#unheard();
    if (someKnow) {
      if (unheard.every((id) => options.notRunning.includes(id))) this.#return(answers);
    } else if (unheard.length === 0 || (options.initial && answers.length + 1 >= quorum)) {
      this.#standing = "member";
      this.#server.found();
      this.#server.tell({ kind: "founding", servers: servers.length - unheard.length });
    }
  }

  #return(answers: readonly Recalled[]): void {
    let newest: Promised = null;
    for (const { promise } of answers) if ((promise?.epoch ?? 0) > (newest?.epoch ?? 0)) newest = promise;
    if (newest === null) return;
    this.#standing = "returning";
    this.#server.adoptPromise(newest);
    this.#server.tell({ kind: "returning", epoch: newest.epoch });
  }
}
