/**
 * Looks for a mistake that was made on purpose, and then looks again without it.
 *
 * Only the properties that the mistake must break count as found: a slow machine may be late with anything,
 * and proves nothing by it. The same faults without the mistake must leave every property standing, or what
 * was found says nothing about the mistake.
 */

import { type Mutant, mistakeOf } from "#node/core/mutant.ts";
import { PROPERTIES, type Property } from "../check/property.ts";
import type { Finding } from "../check/verdict.ts";
import type { Report } from "./judgement.ts";
import type { Directed } from "./mutants.ts";
import type { Torture } from "./plan.ts";
import { markdown, markdownRow } from "../terminal/table.ts";

/** Seeds that are tried until one finds it. */
const MOST_RUNS = 5;

export interface Hunt {
  readonly mutant: Mutant;
  readonly directed: Directed;
  /** Of the mutant; the last is the one that found it, or none did. */
  readonly runs: readonly Report[];
  /** What broke, of what had to; empty when it escaped. */
  readonly found: readonly Finding[];
  /** The last run again, without the mistake: nothing may break, and what had to was looked at. */
  readonly control: Report;
  readonly isCaught: boolean;
}

/** Until it is found, `MOST_RUNS` times at most; then the same without it. */
export async function hunt(
  mutant: Mutant,
  directed: Directed,
  plan: Torture,
  run: (plan: Torture) => Promise<Report>,
): Promise<Hunt> {
  const runs: Report[] = [];
  let found: readonly Finding[] = [];
  let tried = plan;
  while (found.length === 0 && runs.length < MOST_RUNS) {
    tried = { ...plan, seed: plan.seed + runs.length, kinds: directed.faults };
    const report = await run({ ...tried, mutant });
    runs.push(report);
    found = broken(report, directed.breaks);
  }
  const control = await run({ ...tried, mutant: null });
  const isSound =
    broken(control, SAFETY).length === 0 &&
    judged(control, directed.breaks).every(({ judgement }) => judgement === "valid");
  return { mutant, directed, runs, found, control, isCaught: found.length > 0 && isSound };
}

const SAFETY = Object.keys(PROPERTIES) as readonly Property[];

/** A check says what it checks also where there is nothing to look at. */
const sentenceOf = (property: Property): string => PROPERTIES[property]([]).property;

/** What was found about these properties. */
function judged({ findings }: Report, properties: readonly Property[]): readonly Finding[] {
  const sentences = new Set(properties.map(sentenceOf));
  return findings.filter(({ property }) => sentences.has(property));
}

/** What these say about operations that did happen. */
const broken = (report: Report, properties: readonly Property[]): readonly Finding[] =>
  judged(report, properties).filter(({ judgement, operations }) => judgement === "invalid" && operations > 0);

const COLUMNS = ["mutant", "what is wrong", "faults", "must break", "broke", "in run", "without it"];
const QUOTED = 160;

export const HUNT_HEAD = markdown(COLUMNS, []);

export function huntRow({ mutant, directed, runs, found, control, isCaught }: Hunt): string {
  const [first] = found;
  const quoted = first?.reasons[0]?.slice(0, QUOTED) ?? "";
  const broke = found.map(({ property }) => property).join("; ");
  const wrong = broken(control, SAFETY).map(({ property }) => property);
  const stands = wrong.length === 0 ? "holds" : `BROKEN: ${wrong.join("; ")}`;
  return markdownRow([
    mutant,
    mistakeOf(mutant),
    directed.faults.join(", "),
    directed.breaks.map(sentenceOf).join(" or "),
    `${isCaught ? "" : "ESCAPED "}${broke}${quoted === "" ? "" : ` (${quoted})`}`,
    `${runs.length}`,
    `${stands}, ${control.operations} operations`,
  ]);
}
