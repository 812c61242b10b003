/**
 * How the own clients ask: at a pace of their own, or each time they are answered.
 *
 * A client that waits for each answer asks the more often the sooner it is answered, so the leader's own
 * clients seem to be the most (CockroachDB's follow-the-workload). What it would ask if all were answered
 * equally fast is told by how many such clients there are, and how long each takes from an answer to its next
 * question: both can be seen here.
 */

import type { ClientId } from "../core/identity.ts";
import { between, type Duration, type Instant, microseconds } from "../core/time.ts";
import { Meter } from "./meter.ts";
import type { Offer } from "./report.ts";

interface Asker {
  waiting: number;
  askedAt: Instant;
  answeredAt: Instant;
}

export class Demand {
  readonly #askers = new Map<ClientId, Asker>();
  readonly #open = new Meter();
  /**
   * Questions that followed an answer; microseconds from question to question, and from answer to question.
   */
  readonly #cycles = new Meter();
  readonly #cycleTime = new Meter();
  readonly #thinkTime = new Meter();
  readonly #answers = new Meter();
  /** Microseconds that questions have waited, each for itself (Little's law). */
  readonly #waitTime = new Meter();
  #waiting = 0;
  #waitedUntil = 0 as Instant;

  asked(client: ClientId, now: Instant): void {
    this.#wait(now, 1);
    const asker = this.#askers.get(client);
    if (asker === undefined) {
      this.#askers.set(client, { waiting: 1, askedAt: now, answeredAt: now });
      return;
    }
    if (asker.waiting > 0) this.#open.count(now);
    else {
      this.#cycles.count(now);
      this.#cycleTime.count(now, between(asker.askedAt, now));
      this.#thinkTime.count(now, between(asker.answeredAt, now));
    }
    asker.waiting += 1;
    asker.askedAt = now;
  }

  answered(client: ClientId, now: Instant): void {
    const asker = this.#askers.get(client);
    if (asker === undefined || asker.waiting === 0) return;
    this.#wait(now, -1);
    asker.waiting -= 1;
    asker.answeredAt = now;
    this.#answers.count(now);
  }

  gone(client: ClientId, now: Instant): void {
    const asker = this.#askers.get(client);
    if (asker === undefined) return;
    this.#wait(now, -asker.waiting);
    this.#askers.delete(client);
  }

  offer(now: Instant): Offer {
    const cycles = this.#cycles.perSecond(now);
    return {
      openPerSecond: this.#open.perSecond(now),
      clients: this.#cycleTime.perSecond(now) / 1e6,
      think: cycles === 0 ? microseconds(0) : microseconds(this.#thinkTime.perSecond(now) / cycles),
    };
  }

  /** 0 while nothing was answered lately. */
  writeLatency(now: Instant): Duration {
    const answers = this.#answers.perSecond(now);
    return microseconds(answers === 0 ? 0 : this.#waitTime.perSecond(now) / answers);
  }

  #wait(now: Instant, more: number): void {
    if (this.#waiting > 0) this.#waitTime.count(now, this.#waiting * between(this.#waitedUntil, now));
    this.#waiting += more;
    this.#waitedUntil = now;
  }
}
