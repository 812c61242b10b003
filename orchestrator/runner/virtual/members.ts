/** An election by itself in virtual time: the members of a group, and what becomes of their announcements. */

import { assert } from "#node/core/assert.ts";
import type { MemberId } from "#node/core/identity.ts";
import {
  after,
  type Duration,
  instant,
  type Instant,
  microseconds,
  seconds,
  toMilliseconds,
} from "#node/core/time.ts";
import type { GroupElectionProtocol } from "#node/election/group-election.ts";
import { VirtualGroup } from "#node/host/virtual/group.ts";
import { type DatagramShape, independentLoss } from "#node/host/virtual/group-network.ts";
import type { Fault, TimedFault } from "../../fault/fault.ts";
import { printFault } from "../../fault/words.ts";
import { commitAsLoaded, environmentOf } from "../../recording/environment.ts";
import type { ElectionRecording, Mark, MemberEvent } from "../../recording/recording.ts";
import { sourcesAsLoaded } from "../../recording/sources.ts";
import { type ElectionPlan, groupEntryOf, optionsOf } from "../../plan/plan.ts";
import { sharedLossOf } from "../../plan/members-flags.ts";
import { pairKey } from "../../topology/link.ts";
import { MACHINE } from "./machine.ts";
import { shapeOf } from "./network.ts";
import { atOnce, type Steps, untilAborted } from "./steps.ts";

interface Options {
  /** As it was typed. */
  readonly command?: string;
  /** What machines add to every way. */
  readonly handling?: Duration;
}

/** Throws when a member fails an assertion, which is a finding and not a result. */
export const simulateElection = (plan: ElectionPlan, options: Options = {}): ElectionRecording =>
  atOnce(recorded(plan, options));

export const simulateElectionUntil = (
  plan: ElectionPlan,
  signal: AbortSignal,
  options: Options,
): Promise<ElectionRecording> => untilAborted(recorded(plan, options), signal);

function* recorded(plan: ElectionPlan, options: Options): Steps<ElectionRecording> {
  const { command = "", handling = MACHINE.handling } = options;
  const started = process.cpuUsage();
  const run = new ElectionRun(plan, handling);
  const interrupted = yield* run.toEnd();
  const { user, system } = process.cpuUsage(started);
  const usage = { who: "simulator", cpuSeconds: (user + system) / 1e6, peakBytes: process.memoryUsage().rss };
  const engine = `virtual time: a message is dealt with in ${toMilliseconds(handling)} ms`;
  return {
    plan,
    events: run.events,
    marks: run.marks,
    counts: run.counts,
    certificates: { idle: null, loaded: null },
    machine: null,
    resources: [usage],
    unmeasured: {},
    environment: environmentOf(engine, command, sourcesAsLoaded(null), commitAsLoaded()),
    interrupted,
  };
}

class ElectionRun {
  readonly events: MemberEvent[] = [];
  readonly marks: Mark[] = [];
  readonly #plan: ElectionPlan;
  readonly #group: VirtualGroup<GroupElectionProtocol>;
  /** Whom the living take for the leader. */
  readonly #leaders = new Map<MemberId, MemberId>();
  readonly #crashed: Set<MemberId>;

  constructor(plan: ElectionPlan, handling: Duration) {
    this.#plan = plan;
    const { election, members, initiators } = plan.subject;
    const entry = groupEntryOf(election.name);
    const ids = members.map(({ member }) => member);
    const options = new Map(members.map((one) => [one.member, optionsOf(plan.subject, one)]));
    this.#crashed = new Set(ids.filter((member) => !initiators.includes(member)));
    this.#group = new VirtualGroup<GroupElectionProtocol>({
      members: ids,
      create: (self) => entry.create(self, options.get(self) ?? election.options),
      codec: entry.codec,
      network: networkOf(plan, handling),
      seed: plan.seed,
      observer: {
        input: (member, input, at) => {
          if (input.kind === "start") this.events.push({ at, member, event: "begun" });
        },
        announced: (member, message, at) => {
          this.events.push({ at, member, event: "announced", kind: entry.codec.kind(message) });
        },
        output: (member, output, at) => {
          if (output.kind === "observed") {
            this.events.push({ at, member, event: "observed", ...output.facts });
            return;
          }
          const { leader, round } = output;
          this.#leaders.set(member, leader);
          this.events.push({ at, member, event: "elected", leader, round });
        },
      },
    });
  }

  get counts(): ElectionRecording["counts"] {
    const { counts, lost } = this.#group;
    return {
      sent: Object.fromEntries(counts.sent),
      given: Object.fromEntries(counts.given),
      lost: { shared: lost.shared, independent: lost.independent },
      overflown: lost.overflown,
      carried: null,
    };
  }

  /** Whether it was stopped on the way. */
  *toEnd(): Steps<boolean> {
    const { subject, faults, duration } = this.#plan;
    for (const member of subject.initiators) this.#group.start(member);
    for (const fault of faults) this.#group.at(instant(fault.at), () => this.#carryOut(fault));
    const end = instant(duration);
    while (this.#group.now < end) {
      this.#group.run(Math.min(after(this.#group.now, STEP), end) as Instant);
      if (yield) return true;
    }
    return false;
  }

  #carryOut({ fault }: TimedFault): void {
    const hit = this.#hitBy(fault);
    const at = this.#group.now;
    this.marks.push({ at, fault: printFault(fault), servers: hit });
    for (const member of hit) {
      if (fault.kind === "restart") {
        this.#crashed.delete(member);
        this.#group.start(member);
      } else {
        if (fault.kind === "leave") this.#group.request(member, "leave");
        this.#group.stop(member);
        this.#leaders.delete(member);
        this.#crashed.add(member);
        this.events.push({ at, member, event: "ended" });
      }
    }
  }

  #hitBy(fault: Fault): readonly MemberId[] {
    if (fault.kind !== "crash" && fault.kind !== "leave" && fault.kind !== "restart") return [];
    const { target } = fault;
    const isMeant = (member: MemberId, site: string): boolean =>
      target.kind === "leader"
        ? member === this.#leader()
        : target.kind === "crashed" || (target.kind === "site" && target.site === site);
    return this.#plan.subject.members
      .filter(
        ({ member, site }) =>
          this.#crashed.has(member) === (fault.kind === "restart") && isMeant(member, site),
      )
      .map(({ member }) => member);
  }

  /** Whom most of the living follow, if it lives. */
  #leader(): MemberId | null {
    const followed = [...Map.groupBy(this.#leaders.values(), (leader) => leader)]
      .filter(([leader]) => this.#leaders.has(leader))
      .sort(([, a], [, b]) => b.length - a.length);
    return followed[0]?.[0] ?? null;
  }
}

function networkOf({ topology, subject }: ElectionPlan, handling: Duration) {
  const sites = [...new Set(subject.members.map(({ site }) => site))];
  const siteOf = new Map(subject.members.map(({ member, site }) => [member, site]));
  const shared = sharedLossOf(topology, sites);
  assert(shared !== null, "what all lose together is not the same on all ways");
  const ways = new Map<string, DatagramShape>();
  for (const from of sites) {
    for (const to of sites) {
      const loss = independentLoss(topology.link(from, to).loss, shared);
      ways.set(pairKey(from, to), { ...shapeOf(topology, from, to, handling), loss });
    }
  }
  const at = (member: MemberId): string => siteOf.get(member) ?? "";
  const way = (from: MemberId, to: MemberId): DatagramShape =>
    ways.get(pairKey(at(from), at(to))) ?? { delay: seconds(0) };
  const { buffer } = subject;
  return {
    way,
    sharedLoss: shared,
    ...(buffer !== undefined && { buffer: { places: buffer, each: READING } }),
  };
}

/** Of one datagram, by a listener whose buffer has an end. */
const READING = microseconds(100);
/** Between two of these the run can be stopped. */
const STEP = seconds(1);
