/**
 * A ring election with initiators: only who notices begins, and everybody else joins the token that comes by.
 *
 * The token carries an id and its attribute, and grows on its way. The lecture's lines, and where they are
 * below:
 *
 *   an initiator sends Election(id : attr) to its successor                        (1)
 *   when Election(j : attr) arrives:
 *     if attr > own: forward it                                                    (2)
 *     if attr < own and nothing was forwarded yet: put the own in its place        (3)
 *     if j = self: coordinator; Elected goes round                                 (4)
 *
 * With one initiator all is in sequence: its token reaches the winner after d hops and comes home after N
 * more, and so does the announcement. With several, runs meet. By the flag rule whoever has said anything
 * drops what is smaller. By the initiator cache a token names who began its run, and runs of lower initiators
 * end where a higher one is known; then "nothing was forwarded yet" is meant of this run, else an initiator
 * would drop the one run that is left. Rounds, repair, quorums and latecomers are the contest's.
 */

import type { ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import type { MessageCodec } from "../entry.ts";
import type { Key } from "../key.ts";
import type { Rules } from "../medium/contest-rules.ts";
import type { Token } from "../medium/contest-message.ts";

export interface Run {
  /** Who began it. */
  readonly initiator: ServerId;
}

export type RunToken = Token & Run;

export interface RunTour {
  /** The highest initiator of whose run a token came by. */
  readonly initiator: ServerId | null;
  /** Has it sent or forwarded anything, by the cache in this run? */
  readonly hasSaid: boolean;
  /** What went on from here last. */
  readonly said: RunToken | null;
  /** Has the own token come back, though no quorum had let it pass? */
  readonly isHome: boolean;
}

type RunRules = Rules<RunToken, RunTour>;
type Step = ReturnType<RunRules["step"]>;

export interface RunOptions {
  /** Do tokens of lower initiators end? Else those that are smaller. */
  readonly initiatorCache: boolean;
  readonly mutant: Mutant | null;
}

export const runRules = ({ initiatorCache, mutant }: RunOptions): RunRules => ({
  nothing: { initiator: null, hasSaid: false, said: null, isHome: false },
  wakes: true,

  step(tour, happening, own, compare): Step {
    const first = (): Step => on(tour, firstOf(own, own.server)); // (1)
    if (happening.kind === "begin") return happening.initiates ? first() : { tour, deeds: [] };
    if (happening.kind === "again") return again(tour, firstOf(own, own.server));
    if (happening.kind === "repaired")
      return happening.way === "on" && tour.said !== null ? on(tour, tour.said) : { tour, deeds: [] };
    const { token } = happening;
    const isLower = tour.initiator !== null && token.initiator < tour.initiator;
    if (initiatorCache && isLower) return { tour, deeds: [] };
    const isNewRun = tour.initiator !== null && token.initiator > tour.initiator;
    const forgets = initiatorCache && isNewRun && !ONE_FLAG.includes(mutant);
    const hasSaid = tour.hasSaid && !forgets;
    const run = isLower ? tour : { ...tour, initiator: token.initiator, hasSaid };
    if (token.key.server === own.server)
      return { tour: { ...run, isHome: true }, deeds: [{ kind: "home", token }] }; // (4)
    if (compare(token.key, own) > 0) return on(run, token); // (2)
    // Whoever came after the own token had passed is met by it only if it goes round again.
    if (!run.hasSaid || run.isHome) return on(run, firstOf(own, token.initiator)); // (3)
    return mutant === "smaller-passed-on" ? on(run, token) : { tour: run, deeds: [] };
  },

  flawOf: (_, way) => (way === "on" ? null : "its token goes the wrong way round"),
});

const ONE_FLAG: readonly (Mutant | null)[] = ["flag-for-all-runs", "smaller-passed-on"];

const firstOf = (own: Key, initiator: ServerId): RunToken => ({
  key: own,
  hops: 1,
  met: [own.server],
  initiator,
});

const on = (tour: RunTour, said: RunToken): Step => {
  const initiator = tour.initiator ?? said.initiator;
  return {
    tour: { initiator, hasSaid: true, said, isHome: false },
    deeds: [{ kind: "pass on", token: said }],
  };
};

/** What may be lost, and a run of its own: who has a leader answers that. */
function again(tour: RunTour, first: RunToken): Step {
  const { said } = tour;
  if (said === null || said.key.server === first.key.server) return on(tour, said ?? first);
  const { tour: after, deeds } = on(tour, said);
  return { tour: after, deeds: [...deeds, { kind: "pass on", token: first }] };
}

/** initiator:u8 */
export const runCodec: MessageCodec<Run> = {
  write: ({ initiator }, writer) => void writer.u8(initiator),
  read: (reader) => ({ initiator: reader.server() }),
  examples: [{ initiator: 2 as ServerId }],
};
