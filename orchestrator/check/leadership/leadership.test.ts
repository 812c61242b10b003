import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Happening, Of } from "./history.ts";
import { judgeLeadership, LEADERSHIP, type LeadershipProperty, readyAfter } from "./leadership.ts";

type Step = Happening extends infer Each ? (Each extends Happening ? Omit<Each, "at"> : never) : never;

const stands = (member: string): Step => ({ kind: "stands", member });
const gone = (member: string): Step => ({ kind: "gone", member });
const elected = (
  term: number,
  member: string | null,
  excluded: string[] = [],
  { read = term - 1, rounds = 0 } = {},
): Step => ({ kind: "elected", term, read, member, excluded, rounds });
const current = (member: string, term: number, status: string): Step => ({
  kind: "current",
  member,
  term,
  status,
});
const progress = (member: string, term: number): Step => current(member, term, "PROGRESS");
const ready = (member: string, term: number): Step => current(member, term, "READY");
const freed = (member: string, how: Of<"freed">["how"]): Step => ({ kind: "freed", member, how });
const refused = (member: string, term: number): Step => ({ kind: "claim refused", member, term });
const acts = (member: string, term: number): Step => ({ kind: "acts", member, term });
const rests = (member: string, term: number): Step => ({ kind: "rests", member, term });
const wrote = (member: string, term: number, isTaken = true): Step => ({
  kind: "wrote",
  member,
  term,
  isTaken,
});
const policy: Step = { kind: "policy", prefer: [], exclude: [] };

/** One after the other; whoever stands has done so for long. */
const dated = (steps: readonly Step[]): Happening[] =>
  steps.map((step, at) => ({ at: step.kind === "stands" ? at - 10_000 : at, ...step }));

/** A leads in term 1, dies, and B leads in term 2. */
const aLeads = [stands("a"), stands("b"), elected(1, "a"), progress("a", 1), ready("a", 1), acts("a", 1)];
const aDies = [rests("a", 1), freed("a", "with its session"), gone("a")];
const bLeads = [elected(2, "b"), progress("b", 2), ready("b", 2), acts("b", 2)];

const GOOD: Record<string, readonly Step[]> = {
  "nothing happens": [],
  "one dies and another leads": [
    ...aLeads,
    wrote("a", 1),
    ...aDies,
    ...bLeads,
    wrote("b", 2),
    wrote("a", 1, false),
  ],
  "people want another": [
    ...aLeads,
    policy,
    elected(2, "b"),
    rests("a", 1),
    freed("a", "by its owner"),
    ...bLeads.slice(1),
  ],
  "an old leader is put out, and acts on for a while": [
    ...aLeads,
    policy,
    elected(2, "b"),
    freed("a", "by the elector"),
    elected(3, "b"),
    progress("b", 3),
    ready("b", 3),
    acts("b", 3),
    rests("a", 1),
  ],
  "all failed, and the first is tried again": [
    stands("a"),
    stands("b"),
    elected(1, "a"),
    progress("a", 1),
    elected(2, "b", ["a"]),
    freed("a", "by its owner"),
    progress("b", 2),
    elected(3, "a", [], { rounds: 1 }),
    freed("b", "by its owner"),
    progress("a", 3),
  ],
  "a leader was away and failed, then all had, and somebody came": [
    ...aLeads,
    progress("a", 1),
    elected(2, "b", ["a"]),
    freed("a", "by its owner"),
    progress("b", 2),
    elected(3, "a", [], { rounds: 1 }),
    freed("b", "by its owner"),
    progress("a", 3),
    stands("c"),
    elected(4, "b", ["a"], { rounds: 1 }),
  ],
  "a leader was away and is ready again in its term": [...aLeads, rests("a", 1), ready("a", 1), acts("a", 1)],
};

const BAD: Record<LeadershipProperty, Record<string, readonly Step[]>> = {
  "ready is elected": {
    "another is elected": [elected(1, "a"), progress("a", 1), elected(2, "b"), ready("a", 1)],
    "in another term": [elected(1, "a"), progress("a", 1), elected(2, "a"), ready("a", 1)],
    "nobody is elected": [progress("a", 0), ready("a", 0)],
  },
  "ready was in progress": {
    "it never was": [elected(1, "a"), ready("a", 1)],
    "it was, and lost its place": [
      elected(1, "a"),
      progress("a", 1),
      freed("a", "by another"),
      ready("a", 1),
    ],
    "another was": [elected(1, "a"), progress("b", 1), ready("a", 1)],
  },
  "terms rise": {
    "made anew": [elected(1, "a"), elected(0, "b")],
    "one is left out": [elected(1, "a"), elected(3, "b")],
    "an earlier READY": [...bLeads.map((each) => each), ready("a", 1)],
  },
  "electors have read": {
    "demanded nothing": [elected(1, "a", [], { read: -1 })],
    "read long ago": [elected(1, "a"), elected(2, "b", [], { read: 0 })],
  },
  "only its owner frees": { "by another": [...aLeads, freed("a", "by another")] },
  "acts when ready": {
    "in progress": [elected(1, "a"), progress("a", 1), acts("a", 1)],
    "ready in an earlier term": [...aLeads, acts("a", 2)],
  },
  "one acts": {
    "two at once": [...aLeads, ...bLeads],
    "two, and one that was put out rested between": [
      ...aLeads,
      freed("a", "by the elector"),
      rests("a", 1),
      acts("a", 3),
      ...bLeads,
    ],
  },
  "who failed is passed over": {
    "the first again, with another untried": [
      stands("a"),
      stands("b"),
      stands("c"),
      elected(1, "a"),
      elected(2, "b"),
      elected(3, "a"),
    ],
  },
  "who failed rests": {
    "asked again in the same round": [
      stands("a"),
      elected(1, "a"),
      progress("a", 1),
      current("a", 1, "FAILED"),
      elected(2, "a"),
    ],
    "the next round begins at once": [
      stands("a"),
      elected(1, "a"),
      progress("a", 1),
      current("a", 1, "FAILED"),
      elected(2, "a", [], { rounds: 1 }),
    ],
  },
  "none is excluded unheard": { "never had the place": [...aLeads, elected(2, "b"), elected(3, "c", ["b"])] },
  "leaders are kept": { "for nothing": [...aLeads, elected(2, "b")] },
  "none spins": { "again and again": Array.from({ length: 4 }, () => refused("a", 1)) },
  fenced: { "an earlier term after a later": [wrote("b", 2), wrote("a", 1)] },
};

suite("good histories", () => {
  for (const [name, steps] of Object.entries(GOOD)) {
    test(name, () => assert.deepEqual(judgeLeadership(dated(steps)), []));
  }
});

for (const [property, histories] of Object.entries(BAD)) {
  suite(`what contradicts "${property}"`, () => {
    for (const [name, steps] of Object.entries(histories)) {
      test(name, () => assert.notDeepEqual(LEADERSHIP[property as LeadershipProperty](dated(steps)), []));
    }
  });
}

test("who is ready first since a time", () => {
  const history = dated([...aLeads, ...aDies, ...bLeads]);
  assert.equal(readyAfter(history, 0)?.member, "a");
  assert.equal(readyAfter(history, 6)?.member, "b");
  assert.equal(readyAfter(history, 50), null);
});
