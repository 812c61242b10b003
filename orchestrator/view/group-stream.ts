/**
 * Makes the stream of an election by itself: members that begin, speak, follow and end. It is watched on the
 * same page as a service; only that nobody writes.
 */

import { printTimedFault } from "../fault/words.ts";
import type { ElectionSummary } from "../measure/members/summary.ts";
import type { ElectionPlan } from "../plan/plan.ts";
import { printPlan } from "../plan/plan-text.ts";
import type { ElectionRecording, MemberEvent } from "../recording/recording.ts";
import { electionConditions } from "../report/election-page.ts";
import { electionHeadlineOf } from "../report/headline.ts";
import type { GroupObserver, GroupSight } from "../runner/observer.ts";
import type { StreamRecord } from "./record.ts";
import { siteMap } from "./site-map.ts";
import { askedOf } from "./ways.ts";

export class GroupStream implements GroupObserver {
  readonly #out: (record: StreamRecord) => void;
  /** Announcements of each member in the bin that is not over yet. */
  readonly #sent = new Map<number, { readonly bin: number; count: number }>();

  /** Tells the plan at once. */
  constructor(plan: ElectionPlan, out: (record: StreamRecord) => void) {
    this.#out = out;
    const { topology, subject, faults, runtime, duration } = plan;
    const { sites, ...map } = siteMap(topology);
    out({
      kind: "plan",
      format: "polebench stream 1",
      title: electionConditions(plan),
      runtime,
      subject: "members",
      handsOn: false,
      servers: subject.members.map(({ member, site }) => ({ id: member, name: `m${member}`, site })),
      initiators: subject.initiators,
      // Nobody writes.
      map: { ...map, sites: sites.map((site) => ({ ...site, load: 0 })) },
      links: askedOf(topology),
      load: { warmUp: 0, duration },
      bin: BIN,
      faults: faults.map(printTimedFault),
      limits: [],
      prospects: [],
      plan: JSON.parse(printPlan(plan)) as unknown,
    });
  }

  phase(name: string): void {
    this.#out({ kind: "phase", name });
  }

  /** What an observer saw. */
  saw({ events, marks, until }: GroupSight): void {
    for (const happened of [...events, ...marks].sort((a, b) => a.at - b.at))
      if ("event" in happened) this.#event(happened);
      else {
        const { at, fault, servers, byHand = false } = happened;
        this.#out({ kind: "fault", at, fault, servers, byHand, floors: [] });
      }
    this.#out({ kind: "until", at: until });
  }

  end(summary: ElectionSummary): void {
    const { verdict, interrupted, leader, thresholds } = summary;
    const wrong = verdict.findings.filter(({ judgement }) => judgement !== "valid");
    this.#out({
      kind: "end",
      judgement: verdict.judgement,
      reasons: wrong.map(({ property, reasons }) => `${property}: ${reasons.join("; ")}`),
      headline: electionHeadlineOf(summary),
      interrupted,
      leaders: { before: null, after: leader },
      outageMs: null,
      boundMs: null,
      expectedLeaders: [],
      limits: thresholds.map(({ text, passed }) => ({ text, passed })),
    });
  }

  #event(told: MemberEvent): void {
    const { at, member } = told;
    const tell = (
      event: { readonly kind: string; readonly [field: string]: unknown },
      says: string | null,
    ): void => this.#out({ kind: "event", at, server: member, event, says });
    switch (told.event) {
      case "begun":
        tell({ kind: "begun" }, "begins");
        break;
      case "ended":
        tell({ kind: "ended" }, "ends");
        break;
      case "elected": {
        const { leader, round } = told;
        tell(
          { kind: "follows", leader, round },
          leader === member ? "takes itself for the leader" : `follows m${leader}`,
        );
        break;
      }
      case "announced":
        this.#announced(at, member);
        break;
      case "observed": {
        const { at: _, member: __, event: ___, ...facts } = told;
        tell({ kind: "observed", facts }, null);
        break;
      }
    }
  }

  /** Told when the next bin begins: few records, whoever speaks how often. */
  #announced(at: number, member: number): void {
    const bin = Math.floor(at / BIN) * BIN;
    const known = this.#sent.get(member);
    if (known?.bin === bin) {
      known.count += 1;
      return;
    }
    this.#sent.set(member, { bin, count: 1 });
    if (known === undefined) return;
    const sent = { election: known.count };
    this.#out({ kind: "traffic", at: known.bin + BIN, server: member, over: BIN, sent });
  }
}

/** In microseconds. */
const BIN = 100_000;

/** An election that is over, as the stream it would have been. */
export function groupRecordsOf(
  recording: ElectionRecording,
  summary: ElectionSummary,
): readonly StreamRecord[] {
  const records: StreamRecord[] = [];
  const stream = new GroupStream(recording.plan, (record) => records.push(record));
  const { events, marks, plan } = recording;
  stream.saw({ events, marks, until: plan.duration });
  stream.end(summary);
  return records;
}
