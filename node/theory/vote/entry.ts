/** Majority vote, as the catalog of lectures has it, with what is true of its cost: one stands. */

import { byInitiator } from "../cases.ts";
import type { Case, Law, Lecture } from "../lecture.ts";
import { MajorityVote, VOTE_SLIPS, type VoteMessage, type VoteSlip } from "./vote.ts";

const always = (label: string): Law => ({ label, of: (n) => 3 * (n - 1) });

export const majorityVote: Lecture<VoteMessage> = {
  title: "Majority vote",
  source: "second lecture; Burrows: The Chubby Lock Service, 2006",
  intuition:
    "Who looks for a leader asks everybody for a vote, and everybody votes once. More than half can be " +
    "for one only, so two never lead; but where many ask, nobody may have more than half.",
  medium: "complete network",
  timing: "asynchronous",
  most: 1000,
  counted: ["Ask", "Vote", "Master"],
  leader: (ids, dead = [], initiators = []) =>
    initiators.map((place) => ids[place] ?? 0).find((id) => !dead.includes(id)) ?? 0,
  cases: byInitiator("rising", (n) => n),
  example: { ids: [1, 2, 3, 4, 5], initiators: [1, 4], seed: 0 },
  theory: {
    best: always("best, 3(n - 1): whoever stands alone asks all, all vote, all are informed"),
    mean: always("mean, 3(n - 1)"),
    worst: always("worst with one that stands, 3(n - 1)"),
    first: { label: "the first knows after 2 delays, its way to the nearest majority and back", of: () => 2 },
    bound: null,
    printed: [],
  },
  slips: VOTE_SLIPS,
  cast: (one, slip) => voteCast(one, slip as VoteSlip | null),
  say: ({ kind, id }) => `${kind} of ${id}`,
};

export const voteCast = ({ ids, initiators, dead = [] }: Case, slip: VoteSlip | null = null) => ({
  ids,
  initiators,
  deaths: new Map(dead.map((id) => [id - 1, 0])),
  processes: ids.map((id) => new MajorityVote(id, ids.length, slip)),
});
