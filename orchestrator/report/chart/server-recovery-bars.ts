/**
 * What each server went through until the next epoch's first write was executed there, as stacked bars below
 * one another: who noticed late, who waited for whom, and who was brought level long after the others.
 */

import { SERVER_STAGES, type ServerRecovery, type ServerStage } from "../../measure/server-recovery.ts";
import { type Figure, sinceFaultOptions } from "./figure.ts";
import { INK, printMs, SHADES } from "./style.ts";

const MEANING: Readonly<Record<ServerStage, string>> = {
  noticed: "until it noticed",
  elected: "election",
  discovered: "discovery",
  pulled: "pulling history",
  synchronized: "synchronization",
  joined: "being brought level",
  "first commit": "first commit",
};

/** As in the bars of the recovery; what only followers do has a look of its own. */
const COLOURS: Readonly<Record<ServerStage, string>> = {
  noticed: SHADES[0] ?? INK,
  elected: SHADES[1] ?? INK,
  discovered: SHADES[2] ?? INK,
  pulled: SHADES[3] ?? INK,
  synchronized: SHADES[4] ?? INK,
  joined: "#dddddd",
  "first commit": SHADES[5] ?? INK,
};

export function serverRecoveryBars(
  servers: readonly ServerRecovery[],
  leader: number,
  conditions: string,
): Figure {
  const total = ({ stages }: ServerRecovery): number =>
    SERVER_STAGES.reduce((sum, stage) => sum + stages[stage], 0);
  const name = ({ server }: ServerRecovery): string => `p${server}${server === leader ? ", leads" : ""}`;
  const ends = (one: ServerRecovery): string =>
    one.committedAt === null ? "no commit" : printMs(total(one));
  const title = "What each server went through";
  const caption = `from the fault to its first commit under p${leader}, by its own events; ${conditions}`;
  return {
    name: "server-recovery",
    title,
    caption,
    height: 190 + servers.length * 34,
    config: {
      type: "bar",
      data: {
        labels: servers.map((one) => `${name(one)}  ${ends(one)}`),
        datasets: SERVER_STAGES.map((stage) => ({
          label: MEANING[stage],
          data: servers.map(({ stages }) => stages[stage]),
          backgroundColor: COLOURS[stage],
          borderColor: stage === "joined" ? INK : "white",
          borderWidth: 1,
          barPercentage: 0.7,
          pointStyle: "rect" as const,
        })),
      },
      options: sinceFaultOptions(title, caption),
    },
    table: {
      columns: ["server", ...SERVER_STAGES.map((stage) => `${MEANING[stage]} (ms)`), "total (ms)"],
      rows: servers.map((one) => [
        name(one),
        ...SERVER_STAGES.map((stage) => one.stages[stage]),
        one.committedAt === null ? null : total(one),
      ]),
    },
  };
}
