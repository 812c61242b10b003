/**
 * Makes the stream of what is seen of a trial, piece by piece or all at once: events as their servers told
 * them, faults with what physics allows after them, writes in bins.
 */

import { epochOf, type Zxid } from "#node/core/zxid.ts";
import { serverId } from "#node/core/identity.ts";
import { PURPOSES, type Volumes } from "#node/telemetry/traffic.ts";
import { printTimedFault } from "../fault/words.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import type { Threshold } from "../measure/threshold.ts";
import { printPlan } from "../plan/plan-text.ts";
import type { ServicePlan } from "../plan/plan.ts";
import type { Mark } from "../recording/recording.ts";
import { headlineOf } from "../report/headline.ts";
import { tellEvent } from "../report/page/story.ts";
import { conditions } from "../report/run-page.ts";
import type { Observer, Sight } from "../runner/observer.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import { prospects } from "../topology/model.ts";
import { newsOf, outageFloor } from "../topology/outage.ts";
import { latencyMs, type WriteOperation } from "../workload/operation.ts";
import type { Floor, Limit, StreamRecord, Writes } from "./record.ts";
import { siteMap } from "./site-map.ts";
import { askedOf } from "./ways.ts";

export interface StreamTerms {
  readonly thresholds: readonly Threshold[];
  readonly handsOn: boolean;
}

export class Stream implements Observer {
  readonly #plan: ServicePlan;
  readonly #out: (record: StreamRecord) => void;
  readonly #bin: number;
  readonly #sent = new Map<number, { readonly at: number; readonly sent: Volumes }>();
  /** The newest epoch that each site was served in. */
  readonly #epochs = new Map<string, number>();
  readonly #dead: Set<number>;

  /** Tells the plan at once. */
  constructor(plan: ServicePlan, terms: StreamTerms, out: (record: StreamRecord) => void) {
    this.#plan = plan;
    this.#out = out;
    this.#bin = binOf(plan);
    this.#dead = new Set(plan.subject.state?.absent ?? []);
    const { topology, phases, faults, runtime } = plan;
    out({
      kind: "plan",
      format: "polebench stream 1",
      title: conditions(plan),
      runtime,
      subject: "service",
      handsOn: terms.handsOn,
      servers: [...topology.servers].map(([id, site]) => ({ id, name: `p${id}`, site })),
      initiators: [...topology.servers.keys()],
      map: siteMap(topology),
      links: askedOf(topology),
      load: { warmUp: phases.warmUp, duration: phases.duration },
      bin: this.#bin,
      faults: faults.map(printTimedFault),
      limits: terms.thresholds.flatMap(limitOf),
      prospects: prospects(topology).map(({ leader, meanMs, worstMs }) => ({ leader, meanMs, worstMs })),
      plan: JSON.parse(printPlan(plan)) as unknown,
    });
  }

  phase(name: string): void {
    this.#out({ kind: "phase", name });
  }

  certified(when: "idle" | "loaded", { verdict, ways }: Certificate): void {
    const roundTrips = ways
      .filter(({ from, to }) => from < to)
      .map(({ from, to, roundTrip }) => ({ a: from, b: to, ms: roundTrip.udp / 1e3 }));
    this.#out({ kind: "certified", when, verdict, roundTrips });
  }

  /** What an observer saw. */
  saw({ events, marks, operations, until }: Sight): void {
    for (const happened of [...events, ...marks].sort((a, b) => a.at - b.at)) {
      if ("event" in happened) this.event(happened);
      else this.mark(happened);
    }
    this.operations(operations);
    this.#out({ kind: "until", at: until });
  }

  event({ at, server, event }: RecordedEvent): void {
    if (event.kind !== "traffic") {
      this.#out({ kind: "event", at, server, event: { ...event }, says: tellEvent(event) });
      return;
    }
    const before = this.#sent.get(server);
    this.#sent.set(server, { at, sent: event.sent });
    const since = before === undefined || isNewLife(before.sent, event.sent) ? null : before;
    if (since === null || at <= since.at) return;
    const sent = PURPOSES.map((purpose) => [
      purpose,
      event.sent[purpose].messages - since.sent[purpose].messages,
    ]);
    this.#out({ kind: "traffic", at, server, over: at - since.at, sent: Object.fromEntries(sent) });
  }

  mark({ at, fault, servers, byHand = false }: Mark): void {
    if (/^(?:crash|disk-wiped)/.test(fault)) for (const server of servers) this.#dead.add(server);
    if (fault.startsWith("restart")) for (const server of servers) this.#dead.delete(server);
    this.#out({ kind: "fault", at, fault, servers, byHand, floors: this.#floors() });
  }

  /** In order of completion. */
  operations(ended: readonly WriteOperation[]): void {
    const bins = new Map<string, { -readonly [Field in keyof Writes]: Writes[Field] }>();
    for (const operation of ended) {
      const { site, outcome, completed } = operation;
      const at = Math.floor(completed / this.#bin) * this.#bin;
      const key = `${at} ${site}`;
      const bin = bins.get(key) ?? {
        kind: "writes" as const,
        at,
        site,
        ok: 0,
        failed: 0,
        unknown: 0,
        sumMs: 0,
        maxMs: 0,
      };
      bins.set(key, bin);
      bin[outcome] += 1;
      if (outcome !== "ok") continue;
      bin.sumMs += latencyMs(operation);
      bin.maxMs = Math.max(bin.maxMs, latencyMs(operation));
      this.#serve(operation);
    }
    for (const bin of bins.values()) this.#out(bin);
  }

  end(summary: ServiceSummary): void {
    const { verdict, interrupted, leaders, outageMs, physics, expectedLeaders, thresholds } = summary;
    const wrong = verdict.findings.filter(({ judgement }) => judgement !== "valid");
    this.#out({
      kind: "end",
      judgement: verdict.judgement,
      reasons: wrong.map(({ property, reasons }) => `${property}: ${reasons.join("; ")}`),
      headline: headlineOf(summary),
      interrupted,
      leaders,
      outageMs: outageMs?.overall ?? null,
      boundMs: physics.outageBoundMs,
      expectedLeaders,
      limits: thresholds.map(({ text, passed }) => ({ text, passed })),
    });
  }

  #serve({ site, server, completed, zxid }: WriteOperation): void {
    const epoch = epochOf(zxid as Zxid);
    if (epoch <= (this.#epochs.get(site) ?? -1)) return;
    this.#epochs.set(site, epoch);
    this.#out({ kind: "served", at: completed, site, server, epoch });
  }

  #floors(): readonly Floor[] {
    const { topology } = this.#plan;
    const dead = [...this.#dead].map(serverId);
    return [...topology.servers.keys()].flatMap((leader) => {
      const floor = outageFloor(topology, leader, dead, newsOf(topology, dead));
      return floor === null ? [] : [{ leader, establishedMs: floor.establishedMs, servedMs: floor.ms }];
    });
  }
}

/** A hundred milliseconds, or as wide as it takes for the bins of a long trial to stay few. */
function binOf({ phases, topology }: ServicePlan): number {
  const most = MOST_BINS / Math.max(1, topology.sites.size);
  return LEAST_BIN * Math.max(1, Math.ceil(phases.duration / LEAST_BIN / most));
}

/** Only times are drawn. */
function limitOf({ text, quantity, limit }: Threshold): readonly Limit[] {
  if (quantity.kind === "number") return [];
  const site = quantity.kind === "latency" ? quantity.site : null;
  return [{ text, of: quantity.kind, site, ms: limit === "bound" ? null : limit }];
}

/** A server that starts again counts from nothing. */
const isNewLife = (before: Volumes, now: Volumes): boolean =>
  PURPOSES.some((purpose) => now[purpose].messages < before[purpose].messages);

const LEAST_BIN = 100_000;
const MOST_BINS = 20_000;
