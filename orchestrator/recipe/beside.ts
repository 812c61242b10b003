/**
 * Members beside elections of replicas: for the topology of a trial, what an ensemble's own leader offers, by
 * some oracles, and what an application's leader does, by the recipes that were tried; and what each costs
 * when it dies.
 */

import { conclude } from "../measure/conclude.ts";
import { planTrial } from "../plan/flags.ts";
import { runTrial } from "../runner/run.ts";
import { html, type Markup, table } from "../report/page/markup.ts";
import { paragraph } from "../report/page/page.ts";
import { betweenSites, consensusAt, toLeader } from "./distance.ts";
import type { RecipePlan, Trouble } from "./plan.ts";
import type { RecipeSummary, Row } from "./summary.ts";
import { cell } from "./text.ts";

export interface EnsembleLeader {
  readonly oracle: string;
  /**
   * From the death of the leader until a client is served again, and the mean write after it, in
   * milliseconds.
   */
  readonly outageMs: number | null;
  readonly writeMs: number | null;
  readonly leader: number | null;
}

const ORACLES = ["latency", "consensus", "history"] as const;

/** In virtual time: whole servers of this project, whose leader's process dies. */
export async function ensembleLeaders(
  { topology }: Pick<RecipePlan, "topology">,
  signal: AbortSignal,
  command: string,
): Promise<readonly EnsembleLeader[]> {
  const leaders: EnsembleLeader[] = [];
  for (const oracle of ORACLES) {
    const plan = planTrial({ topology, oracle, quick: true, rate: "200/s" }, "sim");
    const recording = await runTrial(plan, { command, signal });
    const { summary } = conclude(recording);
    leaders.push({
      oracle,
      outageMs: summary.outageMs?.overall ?? null,
      writeMs: summary.latencyMs.overall.after?.mean ?? null,
      leader: summary.leaders.after,
    });
  }
  return leaders;
}

/** Who writes from a site to the service waits for the way to its leader and for a quorum there. */
function writesOf({ service }: RecipePlan): readonly { readonly site: string; readonly ms: number }[] {
  const { topology, subject } = service;
  const consensus = consensusAt(topology, subject.firstLeader);
  return [...topology.sites.keys()].map((site) => ({
    site,
    ms: toLeader(topology, site, subject.firstLeader) + consensus + betweenSites(topology, site, site),
  }));
}

export function besideContent(
  plan: RecipePlan,
  summary: RecipeSummary,
  leaders: readonly EnsembleLeader[],
): readonly Markup[] {
  const rowOf = (rows: readonly Row[], trouble: Trouble): Row | undefined =>
    rows.find((row) => row.trouble === trouble);
  const writes = writesOf(plan);
  const [least, most] = [Math.min, Math.max].map((of) => of(...writes.map(({ ms }) => ms))) as [
    number,
    number,
  ];
  const members = summary.recipes.map(({ recipe, troubles }) => {
    const [killed, left] = [rowOf(troubles, "kill"), rowOf(troubles, "leave")];
    return [
      `a member, by ${recipe}`,
      killed === undefined ? "not tried" : `${cell(killed.nobodyMs)} ms`,
      left === undefined ? "not tried" : `${cell(left.nobodyMs)} ms`,
      `${cell(least)} to ${cell(most)} ms, by its site`,
      requests(killed ?? left),
    ];
  });
  const replicas = leaders.map(({ oracle, leader, outageMs, writeMs }) => [
    `a server, by the oracle ${oracle}${leader === null ? "" : `: p${leader}`}`,
    outageMs === null ? "unknown" : `${cell(outageMs)} ms`,
    "as when it dies",
    writeMs === null ? "unknown" : `${cell(writeMs)} ms in the mean of all clients`,
    "none of clients",
  ]);
  return [
    table(
      ["who leads", "dies: nobody leads for", "leaves in order", "a write then takes", "a handover asks"],
      [...replicas, ...members],
      "text",
    ),
    html`<ul>${advice(plan, summary, leaders).map((each) => html`<li>${each}</li>`)}</ul>`,
    paragraph(
      "Servers in virtual time, members as they were measured above. What members do besides is not in it: " +
        "their own takeover is, where one was asked for.",
    ),
  ];
}

function requests(row: Row | undefined): string {
  if (row === undefined) return "";
  const { writes, lists, reads, notifications } = row;
  return `${cell(writes)} writes, ${cell(lists + reads)} reads, ${cell(notifications)} notifications`;
}

function advice(
  { timeout }: RecipePlan,
  { recipes }: RecipeSummary,
  leaders: readonly EnsembleLeader[],
): readonly string[] {
  const known = leaders.flatMap(({ oracle, outageMs }) => (outageMs === null ? [] : [{ oracle, outageMs }]));
  const best = known.toSorted((a, b) => a.outageMs - b.outageMs)[0];
  const killed = recipes.flatMap(({ recipe, troubles }) => {
    const row = troubles.find(({ trouble }) => trouble === "kill");
    return row === undefined ? [] : [{ recipe, ms: row.nobodyMs }];
  });
  const shortest = killed.toSorted((a, b) => a.ms - b.ms)[0];
  const [chain, priority] = ["chain", "priority"].map((name) =>
    recipes
      .find(({ recipe }) => recipe === name)
      ?.troubles.find(({ sinceSessionEnd }) => sinceSessionEnd !== null),
  );
  const said: string[] = [];
  if (best !== undefined)
    said.push(
      "What can be said as writes to the service belongs to the ensemble's own leader: " +
        "when it dies, nobody " +
        `is served for ${cell(best.outageMs)} ms (oracle ${best.oracle}), and no old leader is fenced off.`,
    );
  if (shortest !== undefined)
    said.push(
      `A member that is killed is missed when its session has ended, here after up to ${timeout} ms: ` +
        `nobody led for ${cell(shortest.ms)} ms at least (${shortest.recipe}). What must ` +
        `have a leader of its own ` +
        "bears that, or chooses shorter sessions and the false alarms that come with them.",
    );
  if (chain !== undefined && priority !== undefined)
    said.push(
      "Priority election says where the leader is, lets it take over in two steps and be moved without a " +
        `failure. From the end of the old session it took ${cell(priority.sinceSessionEnd)} ms where a ` +
        `chain took ${cell(chain.sinceSessionEnd)} ms, and ` +
        `${cell(priority.notifications)} notifications where a ` +
        `chain took ${cell(chain.notifications)}. Who does not care who leads should take the chain.`,
    );
  return [
    ...said,
    "Whichever it is: who leads may have been deposed without knowing it. What it writes to must keep the " +
      "greatest term and refuse earlier ones.",
  ];
}
