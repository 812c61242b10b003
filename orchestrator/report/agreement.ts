/**
 * The same plans live and in virtual time, side by side: the simulator is believed as far as this says. Runs
 * that differ in nothing but their seed stand together, as means.
 *
 * Means are mostly the way, which both have from the topology, so what is above physics is compared by
 * itself. Agreement is claimed where a test of equivalence shows it, from five runs on; and of the topology
 * that the simulator's constants were fitted to it is told as what it is.
 */

import type { ServicePlan } from "../plan/plan.ts";
import { tellElection } from "../plan/election-plan.ts";
import { parseServicePlan } from "../plan/plan-text.ts";
import { isFittedTo } from "../runner/virtual/machine.ts";
import { equivalenceP, type Sameness, samenessOf, within } from "../statistics/equivalence.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { mean } from "../statistics/summary.ts";
import { firstKnows, lastKnows } from "./elections-compared.ts";
import type { ServiceSummary } from "../measure/summary.ts";

export interface TwoRuns {
  readonly live: ServiceSummary;
  /** With the live run's leader, where scores were equal but for noise. */
  readonly simulated: ServiceSummary;
  /** Whom the simulator elected by itself. */
  readonly elected: number | null;
}

export interface Agreement {
  readonly of: string;
  readonly runs: number;
  /** What the simulator took from the live runs' machine. */
  readonly machine: string;
  /** The simulator's constants were fitted to runs of this kind. */
  readonly inSample: boolean;
  readonly quantities: readonly AgreedQuantity[];
}

/** `differs`: the means are further apart than the margin. */
export type Agreed = Sameness | "differs";

export interface AgreedQuantity {
  readonly name: string;
  readonly live: string;
  readonly simulated: string;
  /** Live to simulated; null for what is no number. */
  readonly ratio: number | null;
  readonly agreed: Agreed;
}

const MEANS_APART = within(0.05);
const OUTAGES_APART = within(0.2);
const ELECTIONS_APART = within(0.1);
/** Milliseconds: of what machines add, which is a few. */
const ABOVE_APART = () => 0.5;

export function agreements(runs: readonly TwoRuns[]): readonly Agreement[] {
  const groups = Map.groupBy(runs, ({ live }) => labelOf(live));
  return [...groups].map(([of, own]) => ({
    of,
    runs: own.length,
    machine: machineOf(own.map(({ live }) => live)),
    inSample: own.every(({ live }) => isFittedTo(planOf(live))),
    quantities: quantitiesOf(own),
  }));
}

function machineOf(live: readonly ServiceSummary[]): string {
  const measured = live.flatMap(({ machine }) => (machine === null ? [] : [machine]));
  if (measured.length === 0) return "an assumed machine";
  const sync = mean(measured.map(({ syncMs }) => syncMs));
  const exit = mean(measured.map(({ exitMs }) => exitMs));
  return `a log is safe in ${print(sync)}, a killed process is gone in ${print(exit)}`;
}

function quantitiesOf(runs: readonly TwoRuns[]): readonly AgreedQuantity[] {
  const sites = Object.keys(runs[0]?.simulated.latencyMs.sites ?? {});
  const number = (
    name: string,
    apart: (simulated: number) => number,
    valueOf: (summary: ServiceSummary) => number | null | undefined,
  ): AgreedQuantity[] => {
    const both = runs.flatMap(({ live, simulated }) => {
      const [a, b] = [valueOf(live), valueOf(simulated)];
      return typeof a === "number" && typeof b === "number" ? [[a, b] as const] : [];
    });
    if (both.length === 0) return [];
    const [live, simulated] = [mean(both.map(([a]) => a)), mean(both.map(([, b]) => b))];
    const isNear = Math.abs(live - simulated) <= apart(simulated);
    const agreed = isNear ? samenessOf(equivalenceP(both, apart), both.length) : "differs";
    return [{ name, live: print(live), simulated: print(simulated), ratio: live / simulated, agreed }];
  };
  const phases = (["before", "after"] as const).flatMap((phase) => [
    ...number(`mean ${phase}`, MEANS_APART, ({ latencyMs }) => latencyMs.overall[phase]?.mean),
    ...sites.flatMap((site) =>
      number(`mean ${phase}, ${site}`, MEANS_APART, ({ latencyMs }) => latencyMs.sites[site]?.[phase]?.mean),
    ),
  ]);
  return [
    leader(runs),
    ...phases,
    ...number("above physics before", ABOVE_APART, ({ physics }) => physics.before?.aboveMs),
    ...number("above physics after", ABOVE_APART, ({ physics }) => physics.after?.aboveMs),
    ...number("first knows whom to follow", ELECTIONS_APART, firstKnows),
    ...number("last knows whom to follow", ELECTIONS_APART, lastKnows),
    ...number("outage", OUTAGES_APART, ({ outageMs }) => outageMs?.overall),
    ...sites.flatMap((site) =>
      number(`outage, ${site}`, OUTAGES_APART, ({ outageMs }) => outageMs?.sites[site]),
    ),
  ];
}

function leader(runs: readonly TwoRuns[]): AgreedQuantity {
  const names = (servers: readonly (number | null)[]): string =>
    [...new Set(servers.map((server) => `p${server ?? "?"}`))].sort().join(", ");
  const live = runs.map((run) => run.live.leaders.after ?? run.live.leaders.before);
  const simulated = runs.map((run) => run.elected ?? run.simulated.leaders.before);
  // Where nobody died nobody was elected.
  const isSame = runs.every((run) => run.live.leaders.after === run.simulated.leaders.after);
  const agreed = isSame ? "same" : "differs";
  return { name: "leader", live: names(live), simulated: names(simulated), ratio: null, agreed };
}

function planOf({ trial }: ServiceSummary): ServicePlan {
  const plan = parseServicePlan(JSON.stringify(trial));
  if (typeof plan === "string") throw new RefusedInput(`a run's plan cannot be read: ${plan}`);
  return plan;
}

/** What was planned, but for its seed. */
function labelOf(summary: ServiceSummary): string {
  const { latencyMs } = summary;
  const plan = planOf(summary);
  const { oracle, workload, election } = plan.subject;
  const loads = Object.keys(latencyMs.sites).map((site) =>
    Number((plan.topology.sites.get(site)?.load ?? 0).toFixed(2)),
  );
  const chosen = tellElection(election);
  const elects = chosen === "" ? "" : ` ${chosen},`;
  const preferred = oracle.preference.map((server) => ` p${server}`).join("");
  const load = `${workload.ratePerSecond}/s as ${loads.join(":")}, ${plan.phases.duration / 1e6} s`;
  return `${plan.topology.name},${elects} ${oracle.name}${preferred}, ${load}`;
}

const print = (ms: number): string => `${ms.toFixed(2)} ms`;
