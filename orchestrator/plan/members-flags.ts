/**
 * From what a person asks for to the plan of an election by itself, or to a sentence for each thing that
 * cannot be.
 */

import { MAX_MEMBER_ID, memberId, type MemberId } from "#node/core/identity.ts";
import { type Duration, seconds } from "#node/core/time.ts";
import { contradictions, type Surroundings } from "#node/election/assumptions.ts";
import { type GroupElectionName, groupElections } from "#node/election/group-catalog.ts";
import { mediaOf } from "#node/election/medium/catalog.ts";
import { flagOf, type Option } from "#node/election/options.ts";
import type { TimedFault } from "../fault/fault.ts";
import { printTimedFault } from "../fault/words.ts";
import { suggestion } from "../terminal/problem.ts";
import { fraction, PERCENTAGE } from "../topology/quantity.ts";
import { type MulticastLoss, type Topology, withLoss } from "../topology/topology.ts";
import { Reading } from "./flags.ts";
import {
  chooseGroup,
  type ElectionPlan,
  type GroupElectionChoice,
  groupEntryOf,
  type PlacedMember,
  type Runtime,
} from "./plan.ts";

/** As given on the command line; what is missing or empty has its default. */
export interface MembersFlags {
  readonly topology?: string | undefined;
  readonly members?: string | undefined;
  readonly initiators?: string | undefined;
  readonly election?: string | undefined;
  readonly worthBy?: string | undefined;
  readonly loss?: string | undefined;
  /** True: all of the loss; else so much of it, as a percentage of all messages. */
  readonly shared?: boolean | string | undefined;
  readonly buffer?: string | undefined;
  readonly duration?: string | undefined;
  readonly killAt?: string | undefined;
  readonly fault?: readonly string[] | undefined;
  readonly seed?: string | undefined;
  /** Of the elections, by the names of their flags in camel case. */
  readonly [option: string]: unknown;
}

export const GROUP_ELECTIONS = Object.keys(groupElections) as GroupElectionName[];
/** What some election of the catalog can be told, as the first that has it describes it. */
export const GROUP_OPTIONS: ReadonlyMap<string, Option> = new Map(
  GROUP_ELECTIONS.toReversed().flatMap((name) => Object.entries(groupEntryOf(name).options)),
);

const DEFAULT_GROUP_ELECTION: GroupElectionName = "le-s";
const DEFAULT_MEMBERS = "5";
const DEFAULT_DURATION = seconds(20);
/** As many as virtual time takes. */
const MOST_MEMBERS = 1000;
const MOST_WORTH = 1000;
const RING_SIZE = "ringSize";

/** Throws a RefusedInput with one line for each problem. */
export function planMembers(flags: MembersFlags, runtime: Runtime): ElectionPlan {
  const reading = new Reading();
  const topology = lossy(reading, reading.topology(flags.topology || "lan", ""), flags);
  const at = placed(reading, flags.members || DEFAULT_MEMBERS, topology);
  const election = electionOf(reading, flags, topology, at.length);
  const members = judged(reading, flags.worthBy, topology, at, election);
  const duration = reading.duration("duration", flags.duration, DEFAULT_DURATION);
  const faults = faultsOf(reading, flags, topology, duration);
  const initiators = initiatorsOf(reading, flags.initiators, members);
  const seed = reading.whole("seed", flags.seed, 1);
  const buffer = flags.buffer ? reading.whole("buffer", flags.buffer, 1) : undefined;
  if (buffer === 0) reading.problem("buffer", "without a place nothing is heard");
  if (sharedLossOf(topology, [...new Set(members.map(({ site }) => site))]) === null)
    reading.problem("topology", unsharable(topology));
  const { assumes } = groupEntryOf(election.name);
  if (assumes.timing === "rounds" && initiators.length < members.length)
    reading.problem("initiators", `the election ${election.name} assumes rounds: all begin together`);
  for (const sentence of contradictions(election.name, assumes, surroundings(topology, faults)))
    reading.problem("election", sentence);
  reading.end();
  const subject = {
    kind: "election",
    medium: "group",
    election,
    members,
    initiators,
    ...(buffer !== undefined && { buffer }),
  } as const;
  return { topology, runtime, subject, faults, duration, seed };
}

function lossy(reading: Reading, topology: Topology, { loss, shared }: MembersFlags): Topology {
  if (!loss) {
    if (shared && topology.multicastLoss === "independent")
      reading.problem("shared", "of what? say --loss 10% too");
    return topology;
  }
  if (PERCENTAGE.test(loss) && fraction(loss) < 1)
    return withLoss(topology, fraction(loss), sharedOf(reading, fraction(loss), shared));
  reading.problem("loss", `"${loss}" is no percentage below 100%, such as 10%`);
  return topology;
}

function sharedOf(reading: Reading, loss: number, shared: MembersFlags["shared"]): MulticastLoss {
  if (!shared) return "independent";
  if (shared === true) return "shared";
  if (PERCENTAGE.test(shared) && fraction(shared) <= loss) return fraction(shared);
  reading.problem(
    "shared",
    `"${shared}" is no percentage up to what is lost in all, such as 4% of --loss 10%`,
  );
  return "shared";
}

/**
 * What is lost for all listeners of a message at once; null where ways between these sites differ in it, or
 * one loses less than that.
 */
export function sharedLossOf(topology: Topology, sites: readonly string[]): number | null {
  const { multicastLoss } = topology;
  if (multicastLoss === "independent") return 0;
  const losses = sites.flatMap((from) => sites.map((to) => topology.link(from, to).loss));
  const least = Math.min(...losses);
  if (multicastLoss === "shared") return least === Math.max(...losses) ? least : null;
  return least >= multicastLoss ? multicastLoss : null;
}

const unsharable = ({ name, multicastLoss }: Topology): string =>
  typeof multicastLoss === "number"
    ? `${name}'s multicastLoss is more than some of its ways lose`
    : `${name}'s multicastLoss is shared, and its ways differ in what they lose: ` +
      "--loss 10% --shared gives all the same";

function electionOf(
  reading: Reading,
  flags: MembersFlags,
  topology: Topology,
  members: number,
): GroupElectionChoice {
  const name = reading.name("election", flags.election, GROUP_ELECTIONS, DEFAULT_GROUP_ELECTION);
  const entry = groupEntryOf(name);
  const { options } = entry;
  for (const option of GROUP_OPTIONS.keys()) {
    if (!flags[option] || Object.hasOwn(options, option)) continue;
    reading.problem(flagOf(option), `the election ${name} has no such option`);
  }
  const choice = chooseGroup(name, (option) => {
    const [described, given] = [options[option], flags[option]];
    return described && typeof given === "string" && given !== ""
      ? reading.option(flagOf(option), described, given, topology)
      : option === RING_SIZE
        ? members
        : null;
  });
  const size = choice.options[RING_SIZE];
  if (size !== undefined && size !== members)
    reading.problem(flagOf(RING_SIZE), `the election ${name} assumes a ring of all ${members} members`);
  if (size !== undefined && members < 2)
    reading.problem("members", `the election ${name} assumes a ring, and one member alone is none`);
  const flaw = entry.flawOf?.(choice.options) ?? null;
  if (flaw !== null) reading.problem("election", flaw);
  return choice;
}

/** `50`: in turn at every site that has servers, or at every site where none has. `lan:30,fnal:20`: there. */
function placed(reading: Reading, given: string, topology: Topology): readonly PlacedMember[] {
  const homes = [...topology.sites.values()].filter(({ servers }) => servers.length > 0);
  const sites = (homes.length > 0 ? homes : [...topology.sites.values()]).map(({ name }) => name);
  const turns: string[] = [];
  for (const part of given.split(",")) {
    const [, site = "", digits = ""] = /^\s*(?:([^:]+):)?([0-9]{1,5})\s*$/.exec(part) ?? [];
    const count = Number(digits);
    if (digits === "") reading.problem("members", `"${part}" is neither a number nor SITE:NUMBER`);
    else if (site !== "" && !topology.sites.has(site))
      reading.problem("members", `unknown site "${site}"${suggestion(site, [...topology.sites.keys()])}`);
    else {
      for (let turn = 0; turn < Math.min(count, MAX_MEMBER_ID); turn++)
        turns.push(site === "" ? (sites[turn % sites.length] ?? "") : site);
    }
  }
  if (turns.length === 0) reading.problem("members", "without a member there is nothing to elect");
  if (turns.length > MOST_MEMBERS)
    reading.problem("members", `${turns.length} are too many: ${MOST_MEMBERS} at most`);
  return turns.slice(0, MOST_MEMBERS).map((site, index) => ({ member: memberId(index + 1), site }));
}

/** By how near a member is to all others, one way and back: the nearest is worth 1,000, the farthest 1. */
function judged(
  reading: Reading,
  by: string | undefined,
  topology: Topology,
  members: readonly PlacedMember[],
  { name }: GroupElectionChoice,
): readonly PlacedMember[] {
  if (!by) return members;
  if (by !== "distance") reading.problem("worth-by", `"${by}" is no criterion; there is distance`);
  if (!Object.hasOwn(groupEntryOf(name).options, "worth"))
    reading.problem("worth-by", `the election ${name} does not ask what a member is worth`);
  const ways = members.map(({ site }) =>
    members.reduce(
      (sum, other) => sum + topology.link(site, other.site).delay + topology.link(other.site, site).delay,
      0,
    ),
  );
  const [least, most] = [Math.min(...ways), Math.max(...ways)];
  return members.map((member, index) => {
    const farther = most === least ? 0 : ((ways[index] ?? 0) - least) / (most - least);
    return { ...member, worth: MOST_WORTH - Math.round(farther * (MOST_WORTH - 1)) };
  });
}

function initiatorsOf(
  reading: Reading,
  given: string | undefined,
  members: readonly PlacedMember[],
): readonly MemberId[] {
  const all = members.map(({ member }) => member);
  if (!given) return all;
  const named = new Set<number>();
  for (const part of given.split(",")) {
    const [, first = "", last = first] = /^\s*([0-9]{1,5})(?:-([0-9]{1,5}))?\s*$/.exec(part) ?? [];
    if (first === "") reading.problem("initiators", `"${part}" is neither a member nor a range such as 1-4`);
    for (let id = Number(first); first !== "" && id <= Number(last); id++) named.add(id);
  }
  const strangers = [...named].filter((id) => !all.some((member) => member === id));
  if (strangers.length > 0)
    reading.problem("initiators", `there are members 1 to ${all.length}, and no ${strangers.join(", ")}`);
  return all.filter((member) => named.has(member));
}

function faultsOf(
  reading: Reading,
  { fault = [], killAt }: MembersFlags,
  topology: Topology,
  end: Duration,
): readonly TimedFault[] {
  if (fault.length > 0 && killAt) reading.problem("kill-at", "give either --kill-at or --fault");
  const said = fault.length > 0 ? reading.said(fault, topology) : kill(reading, killAt);
  for (const timed of said) {
    const words = `"${printTimedFault(timed)}"`;
    if (timed.at >= end) reading.problem("fault", `${words} is not before the end at ${end / 1e6}s`);
    if (!isOfMembers(timed.fault))
      reading.problem(
        "fault",
        `${words}: members can crash, leave and be restarted: leader, crashed, site:NAME`,
      );
  }
  return said;
}

function kill(reading: Reading, given: string | undefined): readonly TimedFault[] {
  if (!given || given === "never") return [];
  const at = reading.duration("kill-at", given, seconds(0));
  return [{ at, fault: { kind: "crash", target: { kind: "leader" } } }];
}

/** Members have numbers of their own; servers, which other targets name, are none. */
const isOfMembers = (fault: TimedFault["fault"]): boolean =>
  (fault.kind === "crash" || fault.kind === "leave" || fault.kind === "restart") &&
  fault.target.kind !== "server";

function surroundings(topology: Topology, faults: readonly TimedFault[]): Surroundings {
  const kinds = new Set(faults.map(({ fault }) => fault.kind));
  const sites = [...topology.sites.keys()];
  const loses = sites.some((from) => sites.some((to) => topology.link(from, to).loss > 0));
  return {
    media: mediaOf("member of a group"),
    failures: kinds.has("restart") ? "crash-recovery" : kinds.size > 0 ? "crash" : "none",
    messages: loses ? "lossy" : "reliable",
    // All begin at one instant; who counts rounds counts them from there.
    rounds: true,
  };
}
