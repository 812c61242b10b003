/**
 * What a trial of recipes says in numbers: by recipe and trouble, what was measured beside what it should be.
 */

import { mean } from "../statistics/summary.ts";
import type { EnsembleLeader } from "./beside.ts";
import type { Episode } from "./episode.ts";
import type { Trouble } from "./plan.ts";
import type { RecipeOutcome } from "./trial.ts";

export interface RecipeSummary {
  readonly version: 2;
  readonly topology: string;
  readonly system: string;
  readonly members: number;
  readonly strategy: string;
  readonly watching: string;
  readonly timeoutMs: number;
  readonly takeoverMs: number;
  readonly certificate: "valid" | "invalid";
  readonly recipes: readonly {
    /** Of the contest: several with `+`. */
    readonly recipe: string;
    readonly writes: { readonly taken: number; readonly refused: number };
    readonly troubles: readonly Row[];
  }[];
  /** Beside it, where that was asked for: servers that lead the ensemble. */
  readonly ensembleLeaders: readonly EnsembleLeader[];
  readonly wrong: readonly string[];
}

/** Means over the times that a trouble came; null where there is no such thing. */
export interface Row {
  readonly trouble: Trouble;
  readonly times: number;
  readonly sinceTrouble: number | null;
  readonly sinceSessionEnd: number | null;
  readonly sinceSessionEndByFormula: number | null;
  readonly nobodyMs: number;
  readonly severalMs: number;
  readonly notifications: number;
  readonly notificationsByFormula: number | null;
  readonly lists: number;
  readonly reads: number;
  readonly writes: number;
}

export function summaryOf(
  { plan, certificate, courses }: RecipeOutcome,
  ensembleLeaders: readonly EnsembleLeader[],
): RecipeSummary {
  const { service, members, strategy, watching, timeout, takeover } = plan;
  return {
    version: 2,
    topology: service.topology.name,
    system: service.subject.system,
    members: members.length,
    strategy,
    watching,
    timeoutMs: timeout,
    takeoverMs: takeover,
    certificate: certificate.verdict,
    recipes: courses.map(({ recipe, writes, episodes }) => ({
      recipe,
      writes,
      troubles: [...Map.groupBy(episodes, ({ trouble }) => trouble)].map(([trouble, of]) =>
        rowOf(trouble, of),
      ),
    })),
    ensembleLeaders,
    wrong: courses.flatMap(({ wrong }) => wrong),
  };
}

function rowOf(trouble: Trouble, episodes: readonly Episode[]): Row {
  const of = (value: (episode: Episode) => number | null): number | null => {
    const values = episodes.map(value).filter((each) => each !== null);
    return values.length === 0 ? null : mean(values);
  };
  // Beside a formula stands what it speaks of.
  const said = episodes.filter(({ theory }) => typeof theory?.notifications === "number");
  const always = (value: (episode: Episode) => number): number => mean(episodes.map(value));
  return {
    trouble,
    times: episodes.length,
    sinceTrouble: of(({ stages }) => stages.acts),
    sinceSessionEnd: of(({ sinceEnd, theory }) => (theory === null ? null : sinceEnd)),
    sinceSessionEndByFormula: of(({ theory }) => theory?.ms ?? null),
    nobodyMs: always(({ nobody }) => nobody),
    severalMs: always(({ several }) => several),
    notifications: mean((said.length > 0 ? said : episodes).map(({ counts }) => counts.notifications)),
    notificationsByFormula: of(({ theory }) => theory?.notifications ?? null),
    lists: always(({ counts }) => counts.lists),
    reads: always(({ counts }) => counts.reads),
    writes: always(({ counts }) => counts.writes),
  };
}
