/**
 * The vectors of section 3.3, RTT_i and F_i: how far away everybody is, and how many requests everybody gets,
 * as far as one server knows. A view of them is what oracles look at.
 *
 * "After-crash" views leave the current leader out, because a score is needed when it fails;
 * "before-resignation" views leave it in (section 5). Suspected servers are in neither.
 */

import { assert, unreachable } from "../core/assert.ts";
import type { ServerId } from "../core/identity.ts";
import { type Duration, microseconds } from "../core/time.ts";
import type { Zxid } from "../core/zxid.ts";
import type { HeartbeatOutput } from "./heartbeat-message.ts";
import type { Departed, View } from "./oracle.ts";
import type { Report } from "./report.ts";

export interface ViewOptions {
  readonly lastZxid: Zxid;
  /** The leader this server follows, if any. */
  readonly leader: ServerId | null;
  readonly leaderIn?: boolean;
}

export class Vectors {
  readonly #self: ServerId;
  readonly #servers: readonly ServerId[];
  readonly #up = new Set<ServerId>();
  readonly #roundTrips = new Map<ServerId, Duration>();
  readonly #reaches = new Map<ServerId, Duration>();
  readonly #requestRates = new Map<ServerId, number>();
  readonly #reports = new Map<ServerId, Report>();
  /** What each told last, whether it is up or not. */
  readonly #last = new Map<ServerId, Omit<Departed, "server">>();

  constructor(self: ServerId, servers: readonly ServerId[]) {
    assert(servers.includes(self), `server ${self} is not of the ensemble ${servers.join(", ")}`);
    this.#self = self;
    this.#servers = servers;
    this.#up.add(self);
    this.#roundTrips.set(self, microseconds(0));
  }

  /** What the own heartbeats found out. */
  observe(output: HeartbeatOutput): void {
    switch (output.kind) {
      case "roundTrip":
        this.#roundTrips.set(output.server, output.rtt);
        this.#reaches.set(output.server, output.reach);
        break;
      case "rate":
        this.#requestRates.set(output.server, output.perSecond);
        break;
      case "report": {
        const requestRate = this.#requestRates.get(output.server) ?? 0;
        this.#reports.set(output.server, output.report);
        this.#last.set(output.server, { requestRate, report: output.report });
        break;
      }
      case "up":
        this.#up.add(output.server);
        break;
      case "down":
        this.#up.delete(output.server);
        this.#roundTrips.delete(output.server);
        this.#reaches.delete(output.server);
        this.#requestRates.delete(output.server);
        this.#reports.delete(output.server);
        break;
      default:
        unreachable(output);
    }
  }

  /** Hardly any answer of this server takes longer; null while it was not measured. */
  reach(server: ServerId): Duration | null {
    return this.#reaches.get(server) ?? null;
  }

  /** Nor of any server; 0 while none was measured. */
  get farthest(): Duration {
    return microseconds(Math.max(0, ...this.#reaches.values()));
  }

  /** How many requests a second the own clients send. */
  observeOwnRate(perSecond: number): void {
    this.#requestRates.set(this.#self, perSecond);
  }

  /** What this server tells of itself. */
  observeOwnReport(report: Report): void {
    this.#reports.set(this.#self, report);
  }

  /** Of all that answer, the leader too. */
  get roundTrips(): ReadonlyMap<ServerId, Duration> {
    return new Map(this.#roundTrips);
  }

  view({ lastZxid, leader, leaderIn = false }: ViewOptions): View {
    const counted = this.#servers.filter(
      (server) => this.#up.has(server) && (leaderIn || server !== leader || server === this.#self),
    );
    const roundTrips = new Map<ServerId, Duration>();
    const requestRates = new Map<ServerId, number>();
    const unmeasured: ServerId[] = [];
    const reports = new Map<ServerId, Report>();
    for (const server of counted) {
      const rtt = this.#roundTrips.get(server);
      if (rtt === undefined) unmeasured.push(server);
      else {
        roundTrips.set(server, rtt);
        requestRates.set(server, this.#requestRates.get(server) ?? 0);
        const report = this.#reports.get(server);
        if (report !== undefined) reports.set(server, report);
      }
    }
    return {
      self: this.#self,
      servers: this.#servers,
      roundTrips,
      requestRates,
      unmeasured,
      lastZxid,
      reports,
      lastLeader: leader,
      departed: leaderIn ? null : this.#departed(leader),
    };
  }

  #departed(leader: ServerId | null): Departed | null {
    const last = leader === null || leader === this.#self ? undefined : this.#last.get(leader);
    return leader === null || last === undefined ? null : { server: leader, ...last };
  }
}
