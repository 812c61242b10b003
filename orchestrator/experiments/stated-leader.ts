/**
 * Did every run elect the server that the paper states? The model says whom an oracle elects when all
 * histories are equal. Where the leader dies between two sends, one server has a transaction that the others
 * lack, and history has to elect that one; the scores that the servers themselves told decide it.
 */

import { oracles } from "#node/oracle/catalog.ts";
import type { Check, ExperimentRun } from "./experiment.ts";

export function statedLeader(runs: readonly ExperimentRun[]): Check {
  const others = runs.filter(({ summary }) => !isStated(summary));
  const [longer, wrong] = [others.filter(hadLongestHistory), others.filter((run) => !hadLongestHistory(run))];
  const parts = [
    `the stated leader in ${runs.length - others.length} of ${runs.length} runs`,
    ...(longer.length === 0
      ? []
      : [
          "killed between two sends, so that by the scores told another had the longest history and led: " +
            longer.map(tell).join(", "),
        ]),
    ...(wrong.length === 0 ? [] : [`not in ${wrong.map(tell).join(", ")}`]),
  ];
  return { what: parts.join("; "), holds: runs.length > 0 && wrong.length === 0 };
}

const isStated = ({ leaders, expectedLeaders }: ExperimentRun["summary"]): boolean =>
  leaders.after !== null && expectedLeaders.includes(leaders.after);

/** First by the order of elections: the longest history, of equal ones the highest id. */
function hadLongestHistory({ plan, summary }: ExperimentRun): boolean {
  const { leaders, election, expectedLeaders } = summary;
  if (plan.subject.oracle.name !== "history" || election === null) return false;
  const oracle = oracles.history.create();
  const ranked = election.candidates.toSorted(
    (a, b) => oracle.compare(b.score, a.score) || b.server - a.server,
  );
  const tookPart = ranked.some(({ server }) => expectedLeaders.includes(server));
  return tookPart && ranked[0]?.server === leaders.after;
}

function tell({ id, summary }: ExperimentRun): string {
  const { leaders, expectedLeaders, election } = summary;
  const named = [leaders.after, ...expectedLeaders];
  const scores = election?.candidates
    .filter(({ server }) => named.includes(server))
    .map(({ server, score }) => `p${server} ${score.join(":")}`);
  const told = scores === undefined || scores.length === 0 ? "" : `, scores ${scores.join(", ")}`;
  const leader = leaders.after === null ? "nobody" : `p${leaders.after}`;
  return `${id} (${leader} led, stated ${expectedLeaders.map((server) => `p${server}`).join(" or ")}${told})`;
}
