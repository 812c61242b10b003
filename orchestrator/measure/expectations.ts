/**
 * What a run is expected to show. Unlike a verdict, an expectation that is not met says nothing against the
 * run: its numbers count, and it is they that differ from what was hoped for. `--threshold` makes a demand of
 * what matters.
 */

import type { ServiceRecording, ResourceUse } from "../recording/recording.ts";
import type { Certificate } from "../testbed/network/certificate.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { type Beside, electionTimes, type Range } from "./election-times.ts";
import type { Measures } from "./measures.ts";
import { lateFault } from "./moments.ts";
import { SYSTEMS } from "../system/catalog.ts";

export interface Expectation {
  /** In the same words for every run. */
  readonly what: string;
  readonly met: boolean;
  /** What was found, with the numbers. */
  readonly found: string;
}

/** Only what can be looked at in this run. */
export const expectations = (recording: ServiceRecording, measures: Measures): readonly Expectation[] => [
  ...leaderOfTheModel(measures),
  ...faultsInTime(recording),
  ...noticedInTime(measures),
  ...outageWithinBound(measures),
  ...electionByItself(recording, measures),
  ...outageAccountedFor(recording, measures),
  ...smallFootprint(recording),
  ...certified(recording),
];

function leaderOfTheModel({ leaders, physics: { expectedLeaders } }: Measures): readonly Expectation[] {
  if (expectedLeaders.length === 0) return [];
  const { after } = leaders;
  const names = expectedLeaders.map((id) => `p${id}`).join(" or ");
  return [
    {
      what: "the leader is one that the model expects",
      met: after !== null && expectedLeaders.includes(after),
      found: `p${after ?? "?"} was elected; expected: ${names}`,
    },
  ];
}

/** Phases and outages count from when a fault came, so a late one moves nothing; but a machine was busy. */
function faultsInTime(recording: ServiceRecording): readonly Expectation[] {
  const late = lateFault(recording);
  if (late === null) return [];
  return [
    {
      what: "faults come when they were planned",
      met: late.ms <= MOST_LATE_MS,
      found: `${late.what} came ${late.ms.toFixed(1)} ms after it was due; ${MOST_LATE_MS} are for machines`,
    },
  ];
}

/** Apart from the outage, whose bound knows nothing of when anybody noticed. */
function noticedInTime({ recovery, physics: { outageBound } }: Measures): readonly Expectation[] {
  if (recovery === null || outageBound === null) return [];
  const noticed = recovery.servers.flatMap(({ server, stages: { noticed: ms } }) => {
    const news = outageBound.news.get(server);
    return ms > 0 && news !== undefined ? [{ server, ms, late: ms - news }] : [];
  });
  const last = noticed.toSorted((a, b) => b.late - a.late)[0];
  if (last === undefined) return [];
  return [
    {
      what: "the death is noticed as soon as the news can be there",
      met: last.late <= NOTICING_MS,
      found:
        `p${last.server} noticed ${last.ms.toFixed(1)} ms after it, ${last.late.toFixed(1)} after the news ` +
        `could be there; ${NOTICING_MS} are for machines`,
    },
  ];
}

function outageWithinBound({ outage, physics: { outageBound } }: Measures): readonly Expectation[] {
  if (outage === null || outageBound === null) return [];
  const { ms, floorMs, establishedMs, sites, election } = outageBound;
  const allow = election === null ? "the ways allow" : `${election} by itself and the ways allow`;
  const above = Object.entries(outage.sites).flatMap(([site, found]) => {
    const allowed = sites[site];
    return allowed === undefined ? [] : [`${site} ${(found - allowed).toFixed(1)}`];
  });
  return [
    {
      what: "the outage is within its bound",
      met: outage.ms <= ms,
      found:
        `${outage.ms.toFixed(1)} ms of ${ms.toFixed(1)}: ${allow} ${floorMs.toFixed(1)} from the ` +
        `death on, the leader established after ${establishedMs.toFixed(1)}, ` +
        `and 30 are for machines; above what the ways allow: ${above.join(", ")}`,
    },
  ];
}

/** What an election takes from when each server noticed, where nothing but the ways takes time. */
function electionByItself({ plan }: ServiceRecording, measures: Measures): readonly Expectation[] {
  const found = electionTimes(plan, measures);
  if (found === null) return [];
  const { first, last, messages } = found;
  const isNear = ({ ms, alone }: Beside): boolean =>
    ms >= alone.least - ELECTION_MS && ms <= alone.most + ELECTION_MS;
  const range = ({ least, most }: Range): string =>
    most - least < 0.05 ? most.toFixed(1) : `${least.toFixed(1)} to ${most.toFixed(1)}`;
  const time: Expectation = {
    what: "the election takes as long as by itself",
    met: isNear(first) && isNear(last),
    found:
      `the first knew after ${first.ms.toFixed(1)} ms, the last after ${last.ms.toFixed(1)}; by itself, ` +
      `from when each noticed: ${range(first.alone)} and ${range(last.alone)}; ` +
      `${ELECTION_MS} are for machines`,
  };
  if (messages === null) return [time];
  const { count, alone } = messages;
  const allowed = alone.least === alone.most ? String(alone.least) : `${alone.least} to ${alone.most}`;
  const said: Expectation = {
    what: "the election says as much as by itself",
    met: count >= alone.least && count <= alone.most,
    found: `${count} messages between servers; by itself ${allowed}`,
  };
  return [time, said];
}

/**
 * Where a leader was killed, what the servers told explains how long nobody was served. What it does not may
 * be their fault, or there was nobody who asked. Another system's log does not tell of its first commit.
 */
function outageAccountedFor(
  { plan, marks }: ServiceRecording,
  { outage, recovery, leaders }: Measures,
): readonly Expectation[] {
  const isKill = marks.some(
    ({ fault, servers }) =>
      fault.startsWith("crash") &&
      (fault.endsWith(" leader") || servers.some((server) => server === leaders.before)),
  );
  if (!SYSTEMS[plan.subject.system].tellsFirstCommit || !isKill || outage === null) return [];
  const share = (recovery?.unaccountedMs ?? outage.ms) / outage.ms;
  return [
    {
      what: "the servers' events account for 95 % of the outage",
      met: Math.abs(share) <= MOST_UNACCOUNTED,
      found: `none accounts for ${(100 * share).toFixed(1)} % of the ${outage.ms.toFixed(0)} ms`,
    },
  ];
}

/** What measures must not disturb what it measures. The network is what is measured, and told beside it. */
function smallFootprint({ resources, plan, unmeasured }: ServiceRecording): readonly Expectation[] {
  const what = "measuring takes less than a quarter of a core at 1,000 writes/s";
  if (unmeasured.resources !== undefined) return [{ what, met: false, found: unmeasured.resources }];
  const own = resources.filter(isMeasuring);
  if (own.length === 0) return [];
  const { ratePerSecond } = plan.subject.workload;
  const measuring = coreShare(own, plan);
  const network = coreShare(
    resources.filter(({ who }) => who === "network"),
    plan,
  );
  const most = MOST_OF_A_CORE * Math.max(1, ratePerSecond / 1000);
  const beside = network === 0 ? "" : `; the emulated network took ${percent(network)} beside it`;
  return [
    {
      what,
      met: measuring < most,
      found: `clients and orchestrator took ${percent(measuring)} at ${ratePerSecond} writes/s${beside}`,
    },
  ];
}

export const isMeasuring = ({ who }: ResourceUse): boolean =>
  who === "orchestrator" || who.startsWith(CLIENTS);

/** It is counted from the beginning of the load to its end. */
export const coreShare = (of: readonly ResourceUse[], { phases }: ServicePlan): number =>
  of.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / (phases.duration / 1e6);

/** Packet by packet, which is stricter than the verdict on means. */
function certified({ certificates: { idle, loaded } }: ServiceRecording): readonly Expectation[] {
  const taken: readonly (readonly [when: string, certificate: Certificate | null])[] = [
    ["before the load", idle],
    ["under load", loaded],
  ];
  return taken.flatMap(([when, certificate]) =>
    certificate === null
      ? []
      : [
          {
            what: `the network is the topology's packet by packet, ${when}`,
            met: certificate.verdict === "valid",
            found:
              certificate.reasons.join("; ") || "mean, spread, distribution, loss and order of every way",
          },
        ],
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} % of one core`;

/** Of a fault that was due: the way of the signal, and a machine that is busy. */
const MOST_LATE_MS = 5;
const NOTICING_MS = 20;
const ELECTION_MS = 15;
/** Of an outage: the way of the first answer to its client, which no server tells of. */
const MOST_UNACCOUNTED = 0.05;
const MOST_OF_A_CORE = 0.25;
/** As the machines of clients are called. */
const CLIENTS = "clients";
