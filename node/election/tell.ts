/** What an election observed, as a sentence: in its own words where it has some, else field by field. */

import { type Facts, candidateOf, printFact } from "../telemetry/facts.ts";
import { elections } from "./catalog.ts";
import type { ElectionEntry, Told } from "./entry.ts";

/** `election` is a name of the catalog; of one that is not in it any more the facts are told all the same. */
export function tell(election: string, facts: Facts): Told {
  const entry = new Map<string, ElectionEntry>(Object.entries(elections)).get(election);
  return entry?.tell?.(facts) ?? tellCandidate(facts) ?? tellPlainly(facts);
}

function tellCandidate(facts: Facts): Told | null {
  const stands = candidateOf(facts);
  if (stands === null) return null;
  const reasons = Object.entries(stands.why).map(([name, value]) => `${name} ${short(value)}`);
  const because = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const sentence = `round ${stands.round}: proposes itself with score ${printFact(stands.score)}${because}`;
  return { level: "info", sentence };
}

function tellPlainly({ name, ...fields }: Facts): Told {
  const words = Object.entries(fields).map(([field, value]) => `${field} ${printFact(value)}`);
  return { level: "debug", sentence: [name, words.join(", ")].filter((part) => part !== "").join(": ") };
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
