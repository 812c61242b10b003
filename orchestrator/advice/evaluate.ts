/**
 * What a placement is worth by the model (topology/model.ts, outage.ts): for every leader what clients would
 * see, and when that leader is lost, for every successor how long nobody is served and what clients see then;
 * for every oracle, whom of these it would elect.
 */

import type { ServerId } from "#node/core/identity.ts";
import { majority } from "#node/core/quorum.ts";
import { choice, type Prospect, prospects, roundTrip } from "../topology/model.ts";
import { type News, newsOf, outageFloor } from "../topology/outage.ts";
import type { Topology } from "../topology/topology.ts";
import {
  BLIND,
  type Goal,
  LISTED,
  type Loss,
  type AdviceQuestion,
  type Rule,
  RULES,
  SILENCE_MS,
} from "./question.ts";

/** What clients see under one leader. */
export interface Service {
  readonly meanMs: number;
  readonly worstMs: number;
  readonly p99Ms: number;
}

export interface Successor extends Service {
  readonly server: ServerId;
  readonly outageMs: number;
}

export interface Reign extends Service {
  readonly server: ServerId;
  readonly site: string;
  /** Of the leader, to a quorum. */
  readonly consensusMs: number;
  readonly worstSite: string;
  /** Empty when no quorum would be left. */
  readonly successors: readonly Successor[];
}

/** What an oracle makes of a placement. */
export interface Outlook extends Service {
  readonly rule: Rule;
  /** Null: whoever it is; the numbers are then means over all. */
  readonly leader: ServerId | null;
  readonly successor: ServerId | null;
  /** When the leader is lost; Infinity when nobody is served any more. */
  readonly outageMs: number;
  /** The mean over all writes after that. */
  readonly afterMs: number;
}

export interface Evaluation {
  readonly topology: Topology;
  readonly reigns: readonly Reign[];
  /** One for each rule, that of the operator's list last. */
  readonly outlooks: readonly Outlook[];
  /** By the operator's list, which can have whatever any oracle can. */
  readonly best: Outlook;
}

export function evaluate(topology: Topology, question: AdviceQuestion): Evaluation {
  const reigns = prospects(topology).map((offer) => reignOf(topology, offer, question.lose));
  const best = listed(reigns, question.goal);
  const outlooks = RULES.filter((rule) => rule !== LISTED).map((rule) =>
    BLIND.includes(rule) ? anybody(rule, reigns) : judged(topology, rule, reigns, question.lose),
  );
  return { topology, reigns, outlooks: [...outlooks, best], best };
}

/**
 * What can be had at best, without the oracles; and without what comes of a loss, unless that is asked for.
 */
export function attainable(topology: Topology, { goal, lose }: AdviceQuestion): Outlook {
  const reigns = prospects(topology).map((offer) =>
    goal === "outage" ? reignOf(topology, offer, lose) : { ...underOf(topology, offer), successors: [] },
  );
  return listed(reigns, goal);
}

/** The same leader and successor, where distances are others. */
export function unchanged(
  topology: Topology,
  { leader, successor }: Outlook,
  { lose }: AdviceQuestion,
): Outlook {
  const offer = prospects(topology).find((one) => one.leader === leader);
  if (offer === undefined) return NOBODY;
  const reign = reignOf(topology, offer, lose);
  return outlookOf(
    LISTED,
    reign,
    reign.successors.find(({ server }) => server === successor),
  );
}

export const valueOf = (goal: Goal, outlook: Pick<Outlook, `${Goal}Ms`>): number => outlook[`${goal}Ms`];

/** By the goal; what is equal there, by the others. */
export function better(goal: Goal, a: Pick<Outlook, `${Goal}Ms`>, b: Pick<Outlook, `${Goal}Ms`>): number {
  for (const each of [goal, "mean", "worst", "outage"] as const) {
    const [one, other] = [valueOf(each, a), valueOf(each, b)];
    // A nanosecond is the arithmetic's.
    if (one !== other && !(Math.abs(one - other) < 1e-6)) return one - other;
  }
  return 0;
}

/** Who is gone when this leader is lost. */
export const lostWith = (topology: Topology, leader: ServerId, lose: Loss): readonly ServerId[] =>
  lose === "server"
    ? [leader]
    : [...topology.servers].flatMap(([server, site]) =>
        site === topology.servers.get(leader) ? [server] : [],
      );

/**
 * When the others know at the earliest: a killed process is told of by its kernel, a site that is gone by its
 * silence, beyond what an answer from there takes (node/oracle/heartbeat.ts).
 */
export function newsOfLoss(topology: Topology, gone: readonly ServerId[], lose: Loss, buryingMs = 0): News {
  const way = newsOf(topology, gone, buryingMs);
  if (lose === "server") return way;
  const answers = (server: ServerId): number =>
    Math.max(0, ...gone.map((one) => roundTrip(topology, server, one) / 1e3));
  return (server) => SILENCE_MS + answers(server) + way(server);
}

function reignOf(topology: Topology, offer: Prospect, lose: Loss): Reign {
  const gone = lostWith(topology, offer.leader, lose);
  const news = newsOfLoss(topology, gone, lose);
  const successors = survivesEachSite(topology, lose) ? prospects(topology, gone) : [];
  return {
    ...underOf(topology, offer),
    successors: successors.map((next) => ({
      server: next.leader,
      ...serviceOf(topology, next),
      outageMs: outageFloor(topology, next.leader, gone, news)?.ms ?? Number.POSITIVE_INFINITY,
    })),
  };
}

function underOf(topology: Topology, offer: Prospect): Omit<Reign, "successors"> {
  const [worstSite = ""] = slowestFirst(topology, offer)[0] ?? [];
  return {
    server: offer.leader,
    site: offer.site,
    consensusMs: offer.consensusMs,
    worstSite,
    ...serviceOf(topology, offer),
  };
}

/** A quorum is left, whichever site is gone. */
function survivesEachSite({ sites, servers }: Topology, lose: Loss): boolean {
  const quorum = majority(servers.size);
  return (
    lose === "server" || [...sites.values()].every((site) => servers.size - site.servers.length >= quorum)
  );
}

function serviceOf(topology: Topology, offer: Prospect): Service {
  const slowest = slowestFirst(topology, offer);
  return { meanMs: offer.meanMs, worstMs: slowest[0]?.[1] ?? Number.NaN, p99Ms: quantile(slowest, 0.99) };
}

type Slow = readonly [site: string, ms: number, share: number];

/** Sites that have clients. */
const slowestFirst = ({ sites }: Topology, offer: Prospect): readonly Slow[] =>
  [...offer.sites]
    .map(([site, ms]): Slow => [site, ms, sites.get(site)?.load ?? 0])
    .filter(([, , share]) => share > 0)
    .sort(([, a], [, b]) => b - a);

/** The least latency that so large a share of the writes does not exceed. */
function quantile(slow: readonly Slow[], share: number): number {
  let above = 0;
  for (const [, ms, of] of slow) {
    above += of;
    if (above > 1 - share + 1e-9) return ms;
  }
  return slow.at(-1)?.[1] ?? Number.NaN;
}

/** The operator's list is as good as can be: for the goal the best leader, and its best successor. */
function listed(reigns: readonly Reign[], goal: Goal): Outlook {
  const led = reigns.map((reign) => {
    const [successor] = [...reign.successors].sort((a, b) => better(goal, a, b));
    return outlookOf(LISTED, reign, successor);
  });
  const [best] = led.sort((a, b) => better(goal, a, b));
  return best ?? NOBODY;
}

function judged(topology: Topology, rule: Rule, reigns: readonly Reign[], lose: Loss): Outlook {
  const reign = reigns.find(({ server }) => server === choice(topology, rule, [])?.leader);
  if (reign === undefined) return { ...NOBODY, rule };
  if (reign.successors.length === 0) return outlookOf(rule, reign, undefined);
  const elected = choice(topology, rule, lostWith(topology, reign.server, lose))?.leader;
  return outlookOf(
    rule,
    reign,
    reign.successors.find(({ server }) => server === elected),
  );
}

const outlookOf = (rule: Rule, reign: Reign, successor: Successor | undefined): Outlook => ({
  rule,
  leader: reign.server,
  successor: successor?.server ?? null,
  meanMs: reign.meanMs,
  worstMs: reign.worstMs,
  p99Ms: reign.p99Ms,
  outageMs: successor?.outageMs ?? Number.POSITIVE_INFINITY,
  afterMs: successor?.meanMs ?? Number.POSITIVE_INFINITY,
});

function anybody(rule: Rule, reigns: readonly Reign[]): Outlook {
  const successors = reigns.flatMap((reign) => reign.successors);
  return {
    rule,
    leader: null,
    successor: null,
    meanMs: meanOf(reigns.map(({ meanMs }) => meanMs)),
    worstMs: meanOf(reigns.map(({ worstMs }) => worstMs)),
    p99Ms: meanOf(reigns.map(({ p99Ms }) => p99Ms)),
    outageMs: meanOf(successors.map(({ outageMs }) => outageMs)),
    afterMs: meanOf(successors.map(({ meanMs }) => meanMs)),
  };
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0
    ? Number.POSITIVE_INFINITY
    : values.reduce((sum, value) => sum + value, 0) / values.length;

const NOBODY: Outlook = {
  rule: LISTED,
  leader: null,
  successor: null,
  meanMs: Number.POSITIVE_INFINITY,
  worstMs: Number.POSITIVE_INFINITY,
  p99Ms: Number.POSITIVE_INFINITY,
  outageMs: Number.POSITIVE_INFINITY,
  afterMs: Number.POSITIVE_INFINITY,
};
