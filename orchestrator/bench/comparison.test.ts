import assert from "node:assert/strict";
import test from "node:test";
import { behind, compare, printComparison, type Repetition, spread } from "./comparison.ts";

const repetitions: Repetition[] = [
  { zookeeper: { writes3: [20_000], gap: [800, 400, 600] }, polebench: { writes3: [30_000], gap: [90] } },
  { zookeeper: { writes3: [10_000], gap: [1000] }, polebench: { writes3: [14_000], gap: [300, 500] } },
  { zookeeper: { writes3: [20_000] }, polebench: { writes3: [18_000] } },
];

test("a spread is a median with its ends", () => {
  assert.deepEqual(spread([3, 1, 2]), { median: 2, least: 1, most: 3 });
  assert.deepEqual(spread([4, 1]), { median: 2.5, least: 1, most: 4 });
});

test("ratios are of the same repetition, so that a slow hour slows both", () => {
  const [writes, gap] = compare(repetitions, "polebench", ["zookeeper"]);
  const fewRuns = { low: null, high: null };
  assert.deepEqual(writes?.ratios["zookeeper"], { median: 1.4, least: 0.9, most: 1.5, ...fewRuns });
  assert.equal(writes?.reached, false);
  assert.deepEqual(gap?.ratios["zookeeper"], { median: 0.275, least: 0.15, most: 0.4, ...fewRuns });
  assert.equal(gap?.reached, false);
});

test("from six repetitions on a ratio has an interval", () => {
  const six = [1.1, 1.2, 1.3, 1.4, 1.5, 1.6].map((times): Repetition => {
    return { etcd: { writes3: [10_000] }, polebench: { writes3: [10_000 * times] } };
  });
  const [row] = compare(six, "polebench", ["etcd"]);
  assert.deepEqual([row?.ratios["etcd"]?.low, row?.ratios["etcd"]?.high], [1.1, 1.6]);
  assert.match(
    printComparison(six.length > 0 ? compare(six, "polebench", ["etcd"]) : [], "polebench", ["etcd"]),
    /1\.35 \[1\.10 to 1\.60\]/,
  );
});

test("what is wanted is wanted beside every other system, and not beside ourselves", () => {
  const once: Repetition = {
    polebench: { writes3: [20_000] },
    "polebench again": { writes3: [30_000] },
    zookeeper: { writes3: [10_000] },
    etcd: { writes3: [10_000] },
  };
  const others = ["polebench again", "zookeeper", "etcd"];
  const six = (each: Repetition): Repetition[] => Array.from({ length: 6 }, () => each);
  const reachedBy = (all: readonly Repetition[]) => compare(all, "polebench", others)[0]?.reached;
  assert.equal(reachedBy(six({ ...once, polebench: { writes3: [25_000] } })), true);
  assert.equal(reachedBy(six({ ...once, etcd: { writes3: [21_000] } })), false);
  assert.equal(reachedBy([{ ...once, polebench: { writes3: [25_000] } }]), null, "too few for an interval");
});

test("to be no worse is told by intervals, within a margin, and not by a median", () => {
  const reachedBy = (...times: readonly number[]) =>
    compare(
      times.map((each) => ({ etcd: { p99: [10] }, polebench: { p99: [10 * each] } })),
      "polebench",
      ["etcd"],
    )[0]?.reached;
  assert.equal(reachedBy(0.9, 0.95, 0.97, 0.98, 1, 1.04), true);
  assert.equal(
    reachedBy(0.5, 0.6, 0.7, 0.8, 0.9, 2.4),
    null,
    "the median is better, the interval tells nothing",
  );
  assert.equal(reachedBy(0.9, 1.1, 1.2, 1.2, 1.3, 1.4), null, "the median is worse, and may be by chance");
  assert.equal(reachedBy(1.01, 1.1, 1.2, 1.2, 1.3, 1.4), false);
  assert.equal(reachedBy(0.5, 0.5, 0.5, 0.5, 0.5), null, "five have no interval");
});

test("where others are ahead is said first, and that it is not told yet, too", () => {
  const each: Repetition = {
    polebench: { writes3: [20_000], p99: [3], unknown: [5] },
    etcd: { writes3: [8_000], p99: [2], unknown: [5] },
  };
  const rows = (count: number) =>
    compare(
      Array.from({ length: count }, () => each),
      "polebench",
      ["etcd"],
    );
  assert.deepEqual(behind(rows(6)), ["1,000 writes/s, p99: etcd; ours is 1.50 [1.50 to 1.50] times that"]);
  assert.deepEqual(behind(rows(2)), [
    "1,000 writes/s, p99: etcd; ours is 1.50 times that (too few repetitions to tell)",
  ]);
  const [first, second] = printComparison(rows(6), "polebench", ["etcd"]).split("\n");
  assert.deepEqual([first, second?.trim()], ["Others are ahead of ours in:", behind(rows(6))[0]]);
  const uneven = [0.9, 1.1, 1.2, 1.3, 1.4, 1.5].map((times) => ({
    ...each,
    polebench: { p99: [2 * times] },
  }));
  assert.deepEqual(behind(compare(uneven, "polebench", ["etcd"])), [], "its interval holds 1");
});

test("the table says what was seen and whether it is what was wanted", () => {
  const rows = compare(repetitions, "polebench", ["zookeeper"]);
  const lines = printComparison(rows, "polebench", ["zookeeper"]).trimEnd().split("\n");
  assert.deepEqual(
    lines.slice(2).map((line) => line.split(/ {2,}/)),
    [
      ["", "polebench", "zookeeper", "ratio", "wanted"],
      [
        "setData of 1 kB, 3 servers",
        "18000 /s (14000 to 30000)",
        "20000 /s (10000 to 20000)",
        "1.40 (0.90 to 1.50)",
        ">= 2.5",
        "MISSED",
      ],
      [
        "kill -9 of the leader, nobody served",
        "300 ms (90 to 500)",
        "700 ms (400 to 1000)",
        "0.28 (0.15 to 0.40)",
        "<= 0.1",
        "MISSED",
      ],
    ],
  );
});

test("what is wanted of our own number alone needs no ratio", () => {
  const [row] = compare([{ polebench: { level: [31, 12, 14] } }], "polebench", ["zookeeper"]);
  assert.deepEqual([row?.ratios, row?.reached], [{}, true]);
  const [late] = compare([{ zookeeper: { level: [12] }, polebench: { level: [30] } }], "polebench", [
    "zookeeper",
  ]);
  assert.equal(late?.reached, false);
  assert.match(
    printComparison(late === undefined ? [] : [late], "polebench", ["zookeeper"]),
    /< 30 s {2}MISSED/,
  );
});

test("who was not measured has no number and no ratio", () => {
  const [row] = compare([{ zookeeper: { start: [900] } }], "polebench", ["zookeeper"]);
  assert.deepEqual([row?.ratios, row?.reached], [{}, null]);
});
