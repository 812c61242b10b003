import assert from "node:assert/strict";
import test from "node:test";
import { compare, printComparison, type Repetition, spread } from "./comparison.ts";

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
  assert.equal(writes?.reached, true);
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
  assert.equal(compare([once], "polebench", others)[0]?.reached, true);
  const slower = { ...once, etcd: { writes3: [21_000] } };
  assert.equal(compare([slower], "polebench", others)[0]?.reached, false);
});

test("the table says what was seen and whether it is what was wanted", () => {
  const rows = compare(repetitions, "polebench", ["zookeeper"]);
  const lines = printComparison(rows, "polebench", ["zookeeper"]).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/)),
    [
      ["", "polebench", "zookeeper", "ratio", "wanted"],
      [
        "setData of 1 kB, 3 servers",
        "18000 /s (14000 to 30000)",
        "20000 /s (10000 to 20000)",
        "1.40 (0.90 to 1.50)",
        ">= 1",
        "reached",
      ],
      [
        "kill -9 of the leader, nobody served",
        "300 ms (90 to 500)",
        "700 ms (400 to 1000)",
        "0.28 (0.15 to 0.40)",
        "<= 0.2",
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
