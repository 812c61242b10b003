/** The ensemble does not stand as the plan begins, so there is nothing to measure: told in a sentence. */

import { EXIT } from "#node/core/exit-code.ts";
import type { ServerId } from "#node/core/identity.ts";
import { toMilliseconds } from "#node/core/time.ts";
import type { ServicePlan } from "../plan/plan.ts";
import { roundTrip } from "../topology/model.ts";

export class NotFormed extends Error {
  override readonly name = "NotFormed";
  readonly exitCode = EXIT.unknown;
}

/** `leaders`: whom each server follows that should, as far as is known. */
export function notLed(
  { subject, topology }: ServicePlan,
  leaders: ReadonlyMap<ServerId, ServerId | null>,
  within: string,
): NotFormed {
  const camps = [...Map.groupBy(leaders, ([, leader]) => leader)].map(([leader, members]) => {
    const names = members.map(([server]) => `p${server}`).join(", ");
    const whom = leader === null ? "nobody" : `p${leader}`;
    return `${names} ${members.length === 1 ? "follows" : "follow"} ${whom}`;
  });
  const isNew = [...leaders.values()].every((leader) => leader === null);
  const why = isNew ? ", and a new ensemble begins when all its servers are there" : "";
  const servers = [...leaders.keys()];
  const trips = servers.flatMap((a) => servers.map((b) => toMilliseconds(roundTrip(topology, a, b))));
  return new NotFormed(
    `the ensemble was not led by p${subject.firstLeader} within ${within}: ${camps.join("; ")}${why}. ` +
      `Its longest round trip is ${Math.max(...trips).toFixed(0)} ms; ` +
      "a link that loses or delays more than connections bear keeps servers apart, and --election-timeout " +
      "says how long an election waits for them at least",
  );
}
