// lane: works, 1 s
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { NOBODY } from "#node/election/priority/layout.ts";
import { judgeLooked, LOOKED, type Looked, type LookedProperty } from "./looked.ts";

const [A, B] = ["a-00000001-1-0000000000", "b-00000001-1-0000000001"];

interface Place {
  readonly version: number;
  readonly made: number;
}

/** `at` is the transaction. */
const elected = (at: number, term: number, member: string | null, made = 1): Looked => ({
  name: "elected",
  text: JSON.stringify({ ...NOBODY, member }),
  version: term,
  czxid: made,
  mzxid: at,
});

const current = (
  at: number,
  member: string,
  term: number,
  status: string,
  { version, made }: Place,
): Looked => ({
  name: "current",
  text: JSON.stringify({ member, term, status }),
  version,
  czxid: made,
  mzxid: at,
});

/** A place made at 11, and ready at 12. */
const place = (at: number, member: string, term: number): readonly Looked[] => [
  current(at, member, term, "PROGRESS", { version: 0, made: at }),
  current(at + 1, member, term, "READY", { version: 1, made: at }),
];

const last = (at: number, term: number, id: string): Looked => ({
  name: "last",
  text: JSON.stringify({ term, id, site: "here" }),
  version: term,
  czxid: 2,
  mzxid: at,
});

const aLeads = [elected(10, 1, A), ...place(11, A, 1), last(12, 1, "a")];
const bLeads = [elected(20, 2, B), ...place(21, B, 2), last(22, 2, "b")];
const acts = [
  { member: "a", term: 1 },
  { member: "b", term: 2 },
];

const GOOD: Record<string, readonly Looked[]> = {
  "nothing was seen": [],
  "one after the other": [...aLeads, ...bLeads],
  "in whatever order it was read": [...bLeads, ...aLeads].reverse(),
  "read twice": [...aLeads, ...aLeads, ...bLeads],
  "PROGRESS was written over before it was read": [elected(10, 1, A), ...place(11, A, 1).slice(1)],
  "elections were written over before they were read": [...aLeads, elected(30, 7, B), ...place(31, B, 7)],
  "a leader was away, and shows PROGRESS again": [
    ...aLeads,
    current(13, A, 1, "PROGRESS", { version: 2, made: 11 }),
    current(14, A, 1, "READY", { version: 3, made: 11 }),
  ],
  "another is elected while the old leader's READY is there": [
    ...aLeads,
    elected(20, 2, B),
    ...place(25, B, 2),
  ],
  "another program spoils it": [
    ...aLeads,
    { name: "current", text: "hello", version: 2, czxid: 11, mzxid: 15 },
  ],
};

suite("what may be", () => {
  for (const [name, looked] of Object.entries(GOOD)) {
    test(name, () => assert.deepEqual(judgeLooked(looked, acts), []));
  }
});

const BAD: Record<LookedProperty, Record<string, readonly Looked[]>> = {
  "ready is elected": {
    "another is": [elected(10, 1, A), ...place(11, B, 1)],
    "nobody is": [elected(10, 1, null), ...place(11, A, 1)],
    "another was elected before": [elected(10, 1, A), elected(11, 2, B), ...place(12, A, 1)],
    "another was elected between": [
      elected(10, 1, A),
      current(11, A, 1, "PROGRESS", { version: 0, made: 11 }),
      elected(12, 2, B),
      current(13, A, 1, "READY", { version: 1, made: 11 }),
    ],
  },
  "ready was in progress": {
    "it made its place so": [elected(10, 1, A), current(11, A, 1, "READY", { version: 0, made: 11 })],
    "in another term": [
      current(11, A, 1, "PROGRESS", { version: 0, made: 11 }),
      current(12, A, 2, "READY", { version: 1, made: 11 }),
    ],
    "another was": [
      current(11, B, 1, "PROGRESS", { version: 0, made: 11 }),
      current(12, A, 1, "READY", { version: 1, made: 11 }),
    ],
    "it had failed": [
      current(11, A, 1, "FAILED", { version: 1, made: 10 }),
      current(12, A, 1, "READY", { version: 2, made: 10 }),
    ],
  },
  "terms rise": {
    "made anew": [elected(10, 1, A), elected(20, 0, B, 20)],
    "an earlier READY": [...bLeads, ...place(31, A, 1)],
  },
  "acts when ready": {
    "another is ready": [...aLeads, ...place(21, A, 2)],
    "another was ready, and nobody saw its place": [last(22, 2, "a")],
    "another is elected": [elected(20, 2, A)],
  },
};

for (const [property, each] of Object.entries(BAD)) {
  suite(`what contradicts "${property}"`, () => {
    for (const [name, looked] of Object.entries(each)) {
      test(name, () => assert.notDeepEqual(LOOKED[property as LookedProperty](looked, acts.slice(1)), []));
    }
  });
}
