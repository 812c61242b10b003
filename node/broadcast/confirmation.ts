/**
 * "Do I still lead?" A sync is answered once a quorum has said yes to a question that was asked after the
 * sync arrived.
 *
 * A quorum that still follows then has not promised a newer epoch before; so no newer leader acknowledged
 * anything before the sync arrived, and what this leader has committed holds everything that anyone was told
 * of by then. Syncs that arrive in one turn share a question.
 */

import type { Learner } from "./learner.ts";

export interface SyncRequest {
  /** Null when the leader's own clients ask. */
  readonly from: Learner | null;
  readonly sequence: number;
}

interface Question {
  readonly number: number;
  readonly requests: readonly SyncRequest[];
}

export class Confirmation {
  #waiting: SyncRequest[] = [];
  #asked: Question[] = [];
  #number = 0;

  add(request: SyncRequest): void {
    this.#waiting.push(request);
  }

  /** The number of a new question to be put to everyone, when there is a reason to ask one. */
  ask(): number | null {
    if (this.#waiting.length === 0) return null;
    this.#number += 1;
    this.#asked.push({ number: this.#number, requests: this.#waiting });
    this.#waiting = [];
    return this.#number;
  }

  /** The last question asked. */
  get last(): number {
    return this.#number;
  }

  get pending(): boolean {
    return this.#asked.length > 0;
  }

  /** The syncs that can be answered now that a quorum has said yes to questions up to this one. */
  confirmed(upTo: number): readonly SyncRequest[] {
    const done = this.#asked.filter(({ number }) => number <= upTo);
    this.#asked.splice(0, done.length);
    return done.flatMap(({ requests }) => requests);
  }
}
