/**
 * An election by itself on real processes: a member on a machine of its own each, real datagrams over an
 * emulated network, all begun at one instant of the monotonic clock that they share.
 *
 * Only the plane carries multicast between machines, so it is always the plane.
 */

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MAX_SERVER_ID, serverId } from "#node/core/identity.ts";
import { flagOf, printOption } from "#node/election/options.ts";
import type { Fault } from "../../fault/fault.ts";
import { printFault } from "../../fault/words.ts";
import { Beliefs } from "../../measure/members/beliefs.ts";
import { type ElectionPlan, groupEntryOf, optionsOf } from "../../plan/plan.ts";
import { environmentOf } from "../../recording/environment.ts";
import type {
  ElectionRecording,
  Mark,
  MemberEvent,
  MessageCounts,
  ResourceUse,
} from "../../recording/recording.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import { Interrupted, NOTHING_YET, unlessInterrupted } from "../../terminal/interrupted.ts";
import type { Exit, Running } from "../../testbed/infrastructure/infrastructure.ts";
import { newLabel } from "../../testbed/label.ts";
import { labelledFolder } from "../../testbed/reaper.ts";
import { openTestbed, type Testbed } from "../../testbed/testbed.ts";
import { withServers } from "../../topology/topology.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { lateSince } from "../../testbed/network/certificate.ts";
import type { NetworkReport } from "../../testbed/network/network.ts";
import { lookOn } from "./group-lookout.ts";
import { everyOf, lifeAt } from "./lives.ts";
import { MemberUses } from "./member-uses.ts";
import type { LiveOptions } from "./trial.ts";

/** Samples of each pair of machines. */
const ROUNDS = 50;
/** Until all have been started and have joined, beside what each takes. */
const JOINING = 10e6;
const JOINING_EACH = { netns: 200e3, docker: 3e6 };

/**
 * Throws when a member ends by itself, which is a finding and not a result. One that somebody else killed is
 * told as a fault by hand, and the rest goes on.
 */
export async function runElectionLive(plan: ElectionPlan, options: LiveOptions): Promise<ElectionRecording> {
  const [recording] = await recorded(plan, options, 1);
  if (recording === undefined) throw new Interrupted(NOTHING_YET);
  return recording;
}

/**
 * So many runs of one plan in which nothing is done to anybody, on one testbed: the members end in silence
 * and begin again, at one instant, with nothing of the run before. Each counts as a run of its own.
 */
export const runElectionSeries = (
  plan: ElectionPlan,
  options: LiveOptions,
  runs: number,
): Promise<readonly ElectionRecording[]> => recorded(plan, options, runs);

async function recorded(
  plan: ElectionPlan,
  options: LiveOptions,
  lives: number,
): Promise<readonly ElectionRecording[]> {
  const { signal, progress = () => {}, command } = options;
  refuse(plan);
  if (signal.aborted) throw new Interrupted(NOTHING_YET);
  const { members } = plan.subject;
  const homes = Map.groupBy(members, ({ site }) => site);
  const servers = [...homes].map(([site, all]) => [site, all.map((one) => serverId(one.member))] as const);
  const folder = labelledFolder("members", newLabel());
  mkdirSync(folder, { recursive: true });
  try {
    progress("network");
    const topology = withServers(plan.topology, new Map(servers));
    const infrastructure = plan.runtime === "docker" ? "docker" : "netns";
    await using testbed = await openTestbed({ topology, infrastructure, engine: "plane", seed: plan.seed });
    progress("calibration");
    const idle = await unlessInterrupted(signal, () => testbed.certify({ rounds: ROUNDS, multicast: true }));
    const environment = environmentOf(`${idle.engine}: ${idle.remark}`, command);
    progress("election");
    await using group = new LiveGroup(plan, testbed, folder, lives);
    using _ = lives === 1 && options.onlooker !== undefined ? lookOn(group, options.onlooker) : null;
    const before = await testbed.network.report();
    const interrupted = await group.toEnd(signal, progress);
    const carried = carriedSince(before, await testbed.network.report());
    const certificates = { idle, loaded: null };
    const { events, marks, counts, resources } = group;
    const rest = { certificates, machine: null, resources, unmeasured: {}, environment, interrupted };
    if (lives === 1) return [{ plan, events, marks, counts: { ...counts, carried }, ...rest }];
    return group.lives.map((life, index) => ({
      ...rest,
      ...life,
      // The network counted all lives together.
      counts: { ...life.counts, carried },
      plan: { ...plan, seed: plan.seed + index },
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refuse({ subject }: ElectionPlan): void {
  const { length } = subject.members;
  if (length > MAX_SERVER_ID - 5)
    throw new CannotRun(`${length} members are too many for machines: ${MAX_SERVER_ID - 5} at most live`);
}

/** Of the packets of one run, by the network's own count. */
function carriedSince(before: NetworkReport, now: NetworkReport): MessageCounts["carried"] {
  const delivered = ({ ways }: NetworkReport): number => ways.reduce((sum, way) => sum + way.delivered, 0);
  const packets = delivered(now) - delivered(before);
  const late = lateSince(before, now);
  if (late === null) return null;
  const veryLate = (now.veryLate ?? 0) - (before.veryLate ?? 0);
  return { packets, late: Math.round(late * packets), ...(now.veryLate !== undefined && { veryLate }) };
}

class LiveGroup implements AsyncDisposable {
  readonly marks: Mark[] = [];
  readonly #plan: ElectionPlan;
  readonly #testbed: Testbed;
  readonly #folder: string;
  readonly #lives: number;
  readonly #running = new Map<number, Running>();
  /** Members that a fault ended; who leaves may say so before it is silent. */
  readonly #ended: { readonly at: number; readonly member: number; readonly silentFrom: number }[] = [];
  /** On the machine's clock. */
  #origin = 0;
  /** Aborted with the reason why the run cannot go on. */
  readonly #trouble = new AbortController();
  #isOver = false;
  /** Of those that live from the common beginning to the end, over all lives. */
  resources: readonly ResourceUse[] = [];

  constructor(plan: ElectionPlan, testbed: Testbed, folder: string, lives: number) {
    this.#plan = plan;
    this.#testbed = testbed;
    this.#folder = folder;
    this.#lives = lives;
  }

  get #every(): number {
    return everyOf(this.#plan.duration);
  }

  /** Whether it was stopped on the way. */
  async toEnd(signal: AbortSignal, progress: (phase: string) => void): Promise<boolean> {
    const { subject, faults, duration } = this.#plan;
    const { initiators } = subject;
    const { kind } = this.#testbed.infrastructure;
    this.#origin = monotonic() + JOINING + JOINING_EACH[kind] * initiators.length;
    await Promise.all(initiators.map((member) => this.#start(member, this.#origin)));
    await this.#until(-LOOKING, signal);
    const uses = new MemberUses(this.#running, monotonic());
    await this.#until(0, signal);
    const joined = this.#lines().filter(({ event, at }) => event === "joined" && at < 0).length;
    if (joined < initiators.length)
      throw new CannotRun(`only ${joined} of ${initiators.length} members had joined when all were to begin`);
    for (const { at, fault } of faults) {
      await this.#until(at, signal);
      if (!signal.aborted) await this.#carryOut(fault);
    }
    for (let life = 0; life < this.#lives && !signal.aborted; life++) {
      if (this.#lives > 1) progress(`election ${life + 1} of ${this.#lives}`);
      await this.#until(duration + life * this.#every, signal);
    }
    this.#isOver = true;
    this.resources = uses.until(this.#running, monotonic());
    await Promise.all([...this.#running.values()].map((running) => running.kill("SIGTERM")));
    return signal.aborted;
  }

  get events(): readonly MemberEvent[] {
    const deaths = this.#ended.map(({ at, member }) => ({ at, member, event: "ended" }) as const);
    const told = this.#lines().filter((line) => isMemberEvent(line) && !this.#wasDead(line));
    return [...deaths, ...(told as MemberEvent[])].sort((a, b) => a.at - b.at);
  }

  /**
   * Every life of all that was over, each in its own time, also one that not all began in time: that is for
   * its verdict to say. Who counted is checked over all of them together.
   */
  get lives(): readonly Pick<ElectionRecording, "events" | "marks" | "counts">[] {
    const every = this.#every;
    const { events, counts } = this;
    const lifeOf = ({ at }: { readonly at: number }): number => lifeAt(at, every);
    const all = Map.groupBy(events, lifeOf);
    const hosts = Object.values(counts.sent).reduce((sum, count) => sum + count, 0);
    const told = events.filter(({ event }) => event === "announced").length;
    if (hosts !== told) throw new Error(`members told of ${told} announcements, and counted ${hosts}`);
    const over = Math.min(this.#lives, Math.floor((events.at(-1)?.at ?? 0) / every) + 1);
    return Array.from({ length: over }, (_, number) => all.get(number) ?? []).map((life, number) => {
      const own = life.map((event) => ({ ...event, at: event.at - number * every }));
      const sent = Map.groupBy(
        own.filter((event) => event.event === "announced"),
        ({ kind }) => kind,
      );
      const kinds = [...sent].map(([kind, of]): [string, number] => [kind, of.length]);
      const overflown = this.#overflownIn(number * every, (number + 1) * every);
      const marks = this.marks
        .filter((mark) => lifeOf(mark) === number)
        .map((mark) => ({ ...mark, at: mark.at - number * every }));
      return {
        events: own,
        marks,
        counts: { ...UNKNOWN, sent: Object.fromEntries(kinds), given: {}, overflown },
      };
    });
  }

  /** Of who was killed, what it had told; the others counted for themselves. */
  get counts(): MessageCounts {
    const [sent, given] = [new Map<string, number>(), new Map<string, number>()];
    const add = (to: Map<string, number>, kind: string, count: number): void => {
      to.set(kind, (to.get(kind) ?? 0) + count);
    };
    const killed = new Set(this.#ended.map(({ member }) => member));
    for (const line of this.#lines()) {
      for (const [kind, count] of Object.entries(line.given ?? {})) add(given, kind, count);
      if (!killed.has(line.member))
        for (const [kind, count] of Object.entries(line.sent ?? {})) add(sent, kind, count);
    }
    for (const told of this.events)
      if (told.event === "announced" && killed.has(told.member)) add(sent, told.kind, 1);
    const overflown = this.#overflownIn(-Infinity, Infinity);
    return { ...UNKNOWN, sent: Object.fromEntries(sent), given: Object.fromEntries(given), overflown };
  }

  /** It is told when a life ends. */
  #overflownIn(from: number, to: number): number {
    return this.#lines()
      .filter(({ at }) => at > from && at <= to)
      .reduce((sum, { datagrams = 0 }) => sum + datagrams, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#running.values()].map((running) => running.kill()));
  }

  async #start(member: number, startAt: number): Promise<void> {
    const { node, source } = this.#testbed.infrastructure;
    const { subject } = this.#plan;
    const { name } = subject.election;
    const placed = subject.members.find((one) => one.member === member);
    const options = placed === undefined ? subject.election.options : optionsOf(subject, placed);
    const machine = this.#testbed.machine(`p${member}`);
    const said = Object.entries(groupEntryOf(name).options).map(
      ([option, described]) =>
        `--${flagOf(option)}=${printOption(described, options[option] ?? described.default)}`,
    );
    const running = await this.#testbed.start(machine.name, {
      command: [
        node,
        join(source, "node/member.ts"),
        `--id=${member}`,
        `--interface=${machine.address}`,
        `--election=${name}`,
        `--start-at=${startAt}`,
        ...(subject.buffer === undefined ? [] : [`--buffer=${subject.buffer * (OF_KERNEL / 2)}`]),
        ...(this.#lives > 1 ? [`--lives=${this.#lives}`, `--every=${this.#every}us`] : []),
        ...said,
      ],
      log: this.#log(member),
    });
    this.#running.set(member, running);
    void running.exited.then((exit) => {
      if (!this.#isOver && this.#running.get(member) === running) this.#endedUnasked(member, exit);
    });
  }

  /** Nobody of this run ended it: by a signal it was somebody else, else it was the member itself. */
  #endedUnasked(member: number, { signal, code }: Exit): void {
    this.#running.delete(member);
    const at = this.now;
    if (signal === null) {
      const last = readFileSync(this.#log(member), "utf8").trimEnd().split("\n").at(-1) ?? "";
      this.#trouble.abort(new Error(`member ${member} ended by itself with ${code}; it said last: ${last}`));
    } else if (at < 0) {
      this.#trouble.abort(
        new CannotRun(`member ${member} was ended by ${signal} from outside before all began`),
      );
    } else {
      this.marks.push({
        at,
        fault: `${signal} to member ${member} from outside`,
        servers: [member],
        byHand: true,
      });
      this.#ended.push({ at, member, silentFrom: at });
    }
  }

  get now(): number {
    return Math.round(monotonic() - this.#origin);
  }

  async #carryOut(fault: Fault): Promise<void> {
    const hit = this.#hitBy(fault);
    const at = this.now;
    this.marks.push({ at, fault: printFault(fault), servers: hit });
    await Promise.all(
      hit.map(async (member) => {
        if (fault.kind === "restart") return this.#start(member, 0);
        const running = this.#running.get(member);
        this.#running.delete(member);
        await running?.kill(fault.kind === "leave" ? "SIGTERM" : "SIGKILL");
        this.#ended.push({ at, member, silentFrom: fault.kind === "leave" ? this.now : at });
      }),
    );
  }

  #hitBy(fault: Fault): readonly number[] {
    if (fault.kind !== "crash" && fault.kind !== "leave" && fault.kind !== "restart") return [];
    const { target } = fault;
    const leader = target.kind === "leader" ? this.#leader() : null;
    return this.#plan.subject.members
      .filter(({ member, site }) => {
        const isMeant =
          target.kind === "crashed" || (target.kind === "site" ? target.site === site : member === leader);
        return isMeant && this.#running.has(member) !== (fault.kind === "restart");
      })
      .map(({ member }) => member);
  }

  /** Whom most of the living follow, if it lives. */
  #leader(): number | null {
    const beliefs = new Beliefs();
    for (const told of this.events) beliefs.see(told);
    const living = [...beliefs.leaders.keys()];
    return living.toSorted((a, b) => beliefs.followersOf(b) - beliefs.followersOf(a))[0] ?? null;
  }

  async #until(at: number, signal: AbortSignal): Promise<void> {
    const left = this.#origin + at - monotonic();
    const either = AbortSignal.any([signal, this.#trouble.signal]);
    if (left > 0) await delay(left / 1e3, undefined, { signal: either }).catch(() => {});
    this.#trouble.signal.throwIfAborted();
  }

  /** What it had under way when it was killed. */
  #wasDead({ at, member }: Line): boolean {
    const death = this.#ended.findLast((one) => one.member === member && one.silentFrom < at);
    if (death === undefined) return false;
    const begun = this.#lines().find(
      (line) => line.member === member && line.event === "begun" && line.at > death.at,
    );
    return begun === undefined || at < begun.at;
  }

  /** In the time of the trial. */
  #lines(): readonly Line[] {
    return this.#plan.subject.members.flatMap(({ member }) => {
      const file = this.#log(member);
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
      return whole
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Line)
        .map((line) => ({ ...line, at: Math.round(line.at - this.#origin) }));
    });
  }

  #log(member: number): string {
    return join(this.#folder, `m${member}.log`);
  }
}

const UNKNOWN = { lost: null, overflown: null, carried: null };

/**
 * What a kernel counts for a small datagram that waits, with its own part; it doubles what it is asked for.
 */
const OF_KERNEL = 768;

/** Before all begin, while all wait: looking at them takes time that nobody needs then. */
const LOOKING = 500e3;

/** As a member tells it, see `node/member.ts`. */
interface Line {
  readonly at: number;
  readonly member: number;
  readonly event: string;
  readonly sent?: Readonly<Record<string, number>>;
  readonly given?: Readonly<Record<string, number>>;
  readonly datagrams?: number;
}

/** That a member ended as it was asked to belongs to no trial: that is over then. */
const isMemberEvent = ({ event }: Line): boolean =>
  ["begun", "announced", "elected", "observed"].includes(event);
