/** What a POLE server hears, as a fact and in words. */

import type { ServerId } from "../../core/identity.ts";
import { type Facts, printFact } from "../../telemetry/facts.ts";
import type { Told } from "../entry.ts";
import type { Proposal } from "./message.ts";

/** Another server's proposal arrived. */
export const heard = (from: ServerId, { round, candidate, score }: Proposal): Facts => ({
  name: "heard",
  round,
  from,
  candidate,
  score,
});

export function tellPole({ name, ...fields }: Facts): Told | null {
  if (name !== "heard") return null;
  const [round, from, candidate, score] = [
    fields["round"],
    fields["from"],
    fields["candidate"],
    fields["score"],
  ].map(printFact);
  const sentence = `round ${round}: p${from} proposes p${candidate}, score ${score}`;
  return { level: "debug", sentence };
}
