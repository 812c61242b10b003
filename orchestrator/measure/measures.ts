/** Everything that is measured of one run, from its recording. */

import { serverId } from "#node/core/identity.ts";
import type { Statistics } from "../statistics/summary.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import { momentsOf } from "./moments.ts";
import { type Election, election } from "./election.ts";
import { type ByPhase, type Latencies, lateness, latencies, phaseSpans, type Span } from "./latency.ts";
import { type Outage, outage } from "./outage.ts";
import { type Leaders, type Physics, physics } from "./physics.ts";
import { leaderAt, type Recovery, recovery, type Reign, reigns } from "./recovery.ts";
import { type Silence, silence } from "./silence.ts";
import { type Stall, stall } from "./stall.ts";
import { type Timeline, timeline } from "./timeline.ts";
import { type TrafficRow, traffic } from "./traffic.ts";

export interface Measures {
  /** Of every request that was planned. */
  readonly outcomes: { readonly ok: number; readonly failed: number; readonly unknown: number };
  /** Microseconds since the load began. */
  readonly spans: ByPhase<Span>;
  readonly latencies: Latencies;
  /** Of the clients themselves. */
  readonly lateness: Statistics | null;
  /** Per second, over the whole load: of all, and of each site. */
  readonly timeline: Timeline;
  readonly siteTimelines: Readonly<Record<string, Timeline>>;
  /** Per 100 ms, around the first fault. */
  readonly closeUp: Readonly<Record<string, Timeline>>;
  readonly reigns: readonly Reign[];
  readonly leaders: Leaders;
  readonly faults: readonly {
    readonly atMs: number;
    readonly fault: string;
    readonly servers: readonly number[];
  }[];
  readonly outage: Outage | null;
  /** Null without a fault. */
  readonly silence: Silence | null;
  readonly stall: Stall | null;
  readonly recovery: Recovery | null;
  /** That found the leader after the fault. */
  readonly election: Election | null;
  readonly traffic: readonly TrafficRow[];
  readonly physics: Physics;
}

export function measure(recording: ServiceRecording): Measures {
  const { plan, operations, events, marks } = recording;
  const count = (outcome: string): number => operations.filter((one) => one.outcome === outcome).length;
  const ofSite = Object.groupBy(operations, ({ site }) => site);
  const perSite = (span: Span, step: number): Record<string, Timeline> =>
    Object.fromEntries(
      [...plan.topology.sites.keys()].flatMap((site) => {
        const own = ofSite[site];
        return own === undefined ? [] : [[site, timeline(own, span, step)]];
      }),
    );
  const whole = { from: 0, to: plan.phases.duration };
  const moments = momentsOf(recording);
  const { fault } = moments;
  const spans = phaseSpans(plan, moments);
  const reigned = reigns(events);
  const measured = latencies(plan, spans, operations);
  const ended = plan.faults.length === 0 ? null : outage(operations, fault);
  // A leader that has much to fetch may be established only after the service should have settled.
  const settled = Math.max(moments.settled, ended?.endedAt ?? 0);
  const leaders = {
    before: leaderAt(reigned, fault),
    // A run may be interrupted before its fault.
    after: marks.length === 0 ? null : leaderAt(reigned, settled),
  };
  const recovered = recovery(events, fault, ended);
  const around = {
    from: Math.max(0, fault - CLOSE_UP_BEFORE),
    to: Math.min(plan.phases.duration, fault + Math.max(CLOSE_UP_AFTER, 3e3 * (ended?.ms ?? 0))),
  };
  return {
    outcomes: { ok: count("ok"), failed: count("failed"), unknown: count("unknown") },
    spans,
    latencies: measured,
    lateness: lateness(spans, operations),
    timeline: timeline(operations, whole, SECOND),
    siteTimelines: perSite(whole, SECOND),
    closeUp: plan.faults.length === 0 ? {} : perSite(around, SECOND / 10),
    reigns: reigned,
    leaders,
    faults: marks.map(({ at, fault: what, servers }) => ({ atMs: at / 1e3, fault: what, servers })),
    outage: ended,
    silence: marks.length === 0 ? null : silence(operations, fault, plan.phases.duration),
    stall: ended === null ? null : stall(operations, fault, ended.epoch),
    recovery: recovered,
    election: marks.length === 0 ? null : election(events, fault),
    traffic: traffic(events, spans, fault, ended),
    physics: physics(plan, measured, leaders, deadAfter(recording, moments.settled), buryingMs(recording)),
  };
}

/**
 * How long a death stays untold, as far as that is known before the run: a killed process is buried in the
 * time that the machine took just before, and a machine that is gone is told of by nobody.
 */
function buryingMs({ plan, marks, machine }: ServiceRecording): number {
  const isSilent = marks.some(({ fault }) => fault.startsWith("crash-machine"));
  return isSilent ? (SILENT_HEARTBEATS * plan.subject.heartbeat) / 1e3 : (machine?.exitMs ?? 0);
}

/** Servers that were crashed and did not come back before the second steady state. */
function deadAfter({ marks }: ServiceRecording, settled: number): readonly number[] {
  const dead = new Set<number>();
  for (const { at, fault, servers } of marks) {
    if (at > settled) continue;
    for (const server of servers) {
      if (fault.startsWith("crash")) dead.add(serverId(server));
      else if (fault.startsWith("restart")) dead.delete(server);
    }
  }
  return [...dead];
}

const SECOND = 1e6;
/** As servers are configured: silence of so many heartbeats means that a server is down. */
const SILENT_HEARTBEATS = 5;
const CLOSE_UP_BEFORE = SECOND / 2;
/** Or three times the outage, where that is more. */
const CLOSE_UP_AFTER = 2 * SECOND;
