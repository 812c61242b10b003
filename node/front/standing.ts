/**
 * Where this server stands in its ensemble, gathered from what its replica tells and writes: for those who
 * watch over it with four-letter words, pages and Prometheus.
 */

import type { ServerId } from "../core/identity.ts";
import type { LogRecord } from "../core/record.ts";
import { after, between, type Duration, type Instant, seconds, toMilliseconds } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import type { ReplicaEvent } from "../telemetry/event.ts";
import { Spread } from "../core/spread.ts";

/** Zab's phases, as ZooKeeper calls them. */
export type Phase = "election" | "discovery" | "synchronization" | "broadcast";

export class Standing {
  phase: Phase = "election";
  leader: ServerId | null = null;
  /** Since when clients are served under this leader. */
  servingSince: Instant | null = null;
  /** Followers that a leader has brought level, and has not lost since. */
  readonly level = new Set<ServerId>();
  /** Of the last snapshot that is on the disk, or on its way there. */
  snapshot: Zxid | null = null;
  /** How often a leader was looked for. */
  searches = 0;
  /** Milliseconds that this server looked for a leader, each time that it found one. */
  readonly elections = new Spread();
  /** Bytes of what was proposed while this server led. */
  readonly proposals = new Spread();
  #lookingSince: Instant | null = null;
  readonly #electionWait: () => Duration;
  #cutOffSince: Instant | null = null;

  /** `electionWait` is how long an election waits for others. */
  constructor(electionWait: () => Duration = () => seconds(0)) {
    this.#electionWait = electionWait;
  }

  tell(event: ReplicaEvent, now: Instant): void {
    switch (event.kind) {
      case "looking":
        this.searches += 1;
        this.#lookingSince = now;
        this.#cutOffSince ??= now;
        this.#leave();
        break;
      case "lost":
        this.#leave();
        break;
      case "elected":
        this.#elected(event.leader, now);
        break;
      case "discovered":
        this.phase = "synchronization";
        break;
      case "synchronizing":
        this.level.delete(event.follower);
        break;
      case "synchronized":
        this.level.add(event.follower);
        break;
      case "parted":
        this.level.delete(event.follower);
        break;
      case "down":
        this.level.delete(event.server);
        break;
      case "serving":
        this.phase = "broadcast";
        this.leader = event.leader;
        this.servingSince = now;
        this.#cutOffSince = null;
        break;
      default:
    }
  }

  wrote(records: readonly LogRecord[], leading: boolean): void {
    for (const record of records) {
      if (record.kind === "snapshot" && record.last) this.snapshot = record.zxid;
      else if (leading && record.kind === "transaction") {
        this.proposals.add(record.transaction.payload.length);
      }
    }
  }

  /** Without a leader for so long that this is no mere election. */
  isCutOff(now: Instant): boolean {
    if (this.#cutOffSince === null) return false;
    const patience = Math.max(LEAST_CUT_OFF, this.#electionWait() * LONG_ELECTION) as Duration;
    return now >= after(this.#cutOffSince, patience);
  }

  servingFor(now: Instant): Duration | null {
    return this.servingSince === null ? null : between(this.servingSince, now);
  }

  #elected(leader: ServerId, now: Instant): void {
    this.phase = "discovery";
    this.leader = leader;
    if (this.#lookingSince !== null) this.elections.add(toMilliseconds(between(this.#lookingSince, now)));
    this.#lookingSince = null;
  }

  #leave(): void {
    this.phase = "election";
    this.leader = null;
    this.servingSince = null;
    this.level.clear();
  }
}

/** As ZooKeeper, which begins to be read-only after two seconds at least. */
const LEAST_CUT_OFF = seconds(2);
/** Where elections are slow since links are, none takes so many times what it waits for proposals. */
const LONG_ELECTION = 10;
