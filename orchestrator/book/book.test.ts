import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { conclude } from "../measure/conclude.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { madeRecording } from "../testing/made-recording.ts";
import { diffOf } from "./diff.ts";
import { EXPORTS } from "./exports.ts";
import { historyOf } from "./history.ts";
import { numberOf, numbersIn, recordOfPlain } from "./plain.ts";
import { type BookRecord, merged, parseRecord } from "./record.ts";
import { regressions } from "./regression.ts";
import { recordOfRuns } from "./several.ts";
import { BOOK, enter, recordsAt } from "./store.ts";
import { recordOfTrial } from "./trial.ts";

const { summary: made } = conclude(madeRecording());

/** The made run with another seed, code and outage. */
function trial(
  seed: number,
  commit: string,
  outage: number,
  change: Partial<ServiceSummary> = {},
): ServiceSummary {
  return {
    ...made,
    trial: { ...made.trial, seed },
    environment: { ...made.environment, commit, sources: commit, startedAt: `2026-01-01T00:00:0${seed}Z` },
    outageMs: { overall: outage, sites: {} },
    ...change,
  };
}
const record = (...given: Parameters<typeof trial>): BookRecord => recordOfTrial(trial(...given));
const several = (commit: string, outages: readonly number[]): readonly BookRecord[] =>
  outages.map((outage, index) => record(index + 1, commit, outage));
const [NOISY, WORSE] = [
  [100, 104, 98, 103, 99, 101, 102],
  [130, 139, 126, 135, 128, 131, 133],
];

suite("a record", () => {
  test("of a trial has its question, code, machine, verdict, and every number with its seed", () => {
    const one = record(3, "abc", 320);
    assert.equal(parseRecord(JSON.parse(JSON.stringify(one))) instanceof Object, true);
    assert.deepEqual(
      [one.kind, one.validity, one.sources.commit, one.attempts],
      ["trial", "valid", "abc", { made: 1, counted: 1 }],
    );
    assert.deepEqual(one.numbers["outage"], {
      unit: "ms",
      better: "less",
      values: [{ of: "3", value: 320, atLeast: false }],
    });
    assert.equal(one.numbers["mean.after"]?.values[0]?.value, 30);
    assert.equal(one.numbers["mean.after.slac"]?.values[0]?.value, 30);
    assert.equal(one.numbers["loss"]?.values[0]?.value, 0);
  });

  test("asks the same with every seed, and another thing with another plan", () => {
    assert.equal(record(1, "abc", 1).question, record(2, "def", 2).question);
    const other = { ...made.trial, runtime: "netns" };
    assert.notEqual(record(1, "abc", 1, { trial: other }).question, record(1, "abc", 1).question);
  });

  test("of one question and code are one; a run that does not count is told and in no number", () => {
    const invalid = { judgement: "invalid" as const, findings: [] };
    const [one, ...more] = merged([
      ...several("abc", [1, 2]),
      record(3, "abc", 99, { verdict: invalid }),
      record(2, "abc", 7),
    ]);
    assert.deepEqual(more, []);
    assert.deepEqual(one?.attempts, { made: 4, counted: 3 });
    const values = one?.numbers["outage"]?.values.map(({ of, value }) => [of, value]);
    assert.deepEqual(values, [
      ["1", 1],
      ["2", 7],
    ]);
  });

  test("of many runs names each arm's numbers, paired by repetition", () => {
    const runs = ["latency", "history"].flatMap((arm, offset) =>
      [0, 1].map((repetition) => ({
        arm,
        repetition,
        summary: trial(repetition + 1, "abc", 100 + 10 * offset + repetition),
      })),
    );
    const one = recordOfRuns({ kind: "comparison", what: "two", command: "c", runs, superseded: 1 });
    assert.deepEqual(one?.attempts, { made: 5, counted: 4 });
    const values = one?.numbers["history: outage"]?.values;
    assert.deepEqual(
      values?.map(({ of, value }) => [of, value]),
      [
        ["0", 110],
        ["1", 111],
      ],
    );
    assert.equal(recordOfRuns({ kind: "comparison", what: "", command: "", runs: [], superseded: 0 }), null);
  });
});

suite("two records beside each other", () => {
  const one = (outages: readonly number[], commit = "abc"): BookRecord =>
    merged(several(commit, outages))[0] ?? assert.fail();

  test("are paired by their seeds, and tested as a comparison's arms are", () => {
    const [row] = diffOf(one(NOISY), one(WORSE), ["outage"]);
    assert.deepEqual([row?.a, row?.b, row?.pairs, row?.p, row?.verdict], [101, 131, 7, 2 / 128, "differs"]);
    assert.ok((row?.shift?.low ?? 0) > 25);
  });

  test("of which five pairs or none are there tell nothing", () => {
    const verdict = (a: BookRecord, b: BookRecord) => diffOf(a, b, ["outage"])[0]?.verdict;
    assert.equal(verdict(one(NOISY.slice(0, 5)), one(WORSE.slice(0, 5))), "not enough runs");
    assert.equal(verdict(record(1, "abc", 1), record(2, "abc", 9)), "not enough runs");
  });

  test("what is the same in every pair is equal, and makes nobody less sure of the rest", () => {
    const rows = diffOf(one(NOISY), one(WORSE));
    assert.equal(rows.find(({ name }) => name === "mean.after")?.verdict, "equal");
    assert.equal(rows.find(({ name }) => name === "outage")?.p, 2 / 128);
  });
});

suite("a baseline", () => {
  test("is kept up with, or a number is worse beyond chance and concern", () => {
    const against = (now: readonly number[]) => regressions(several("abc", NOISY), several("def", now))[0];
    assert.deepEqual(
      against(WORSE)?.worse.map(({ name }) => name),
      ["outage"],
    );
    assert.deepEqual(
      against(NOISY.map((ms) => ms - 30))?.better.map(({ name }) => name),
      ["outage"],
    );
    const little = against(NOISY.map((ms) => ms + 2));
    assert.deepEqual([little?.worse, little?.better], [[], []], "2 % are nobody's concern");
  });

  test("that too few runs cannot be held against is open, and one that nobody ran is missing", () => {
    const [few] = regressions(several("abc", NOISY), several("def", WORSE.slice(0, 4)));
    assert.deepEqual([few?.worse, few?.open.map(({ name }) => name)], [[], ["outage"]]);
    assert.equal(regressions(several("abc", NOISY), [])[0]?.now, null);
  });
});

test("a number over commits, in order of time, with the noise of the arm that was run twice", () => {
  const runs = (commit: string, base: number) =>
    ["latency", "latency again"].flatMap((arm, offset) =>
      NOISY.map((ms, repetition) => ({
        arm,
        repetition,
        summary: trial(repetition + 1, commit, base + ms + offset * (repetition % 2 === 0 ? 3 : -3)),
      })),
    );
  const records = [
    ["abc", 0],
    ["def", 50],
  ].map(([commit, base]) =>
    recordOfRuns({
      kind: "comparison",
      what: "twice",
      command: "",
      runs: runs(String(commit), Number(base)),
      superseded: 0,
    }),
  );
  const found = historyOf(
    records.filter((one) => one !== null),
    "outage",
  );
  const latency = found.find(({ name }) => name === "latency: outage");
  assert.deepEqual(
    latency?.moments.map(({ commit, value }) => [commit, value.middle]),
    [
      ["abc", 101],
      ["def", 151],
    ],
  );
  assert.equal(latency?.noise, 3);
  assert.deepEqual(historyOf(several("abc", NOISY), "nothing"), []);
});

suite("the book on the disk", () => {
  const out = mkdtempSync(join(tmpdir(), "book-"));
  after(() => rmSync(out, { recursive: true }));

  test("has a line for every run, also when its folder was used again, and none for half a line", () => {
    const folder = join(out, "run", "a");
    mkdirSync(folder, { recursive: true });
    enter(out, folder, record(1, "abc", 100));
    enter(out, folder, record(1, "def", 90));
    appendFileSync(join(out, BOOK), '{"format":"polebench rec');
    assert.deepEqual(
      recordsAt(join(out, BOOK)).map(({ sources }) => sources.commit),
      ["abc", "def"],
    );
    assert.deepEqual(recordsAt(out), recordsAt(join(out, BOOK)));
    assert.deepEqual(
      recordsAt(folder).map(({ sources }) => sources.commit),
      ["def"],
    );
  });

  test("reads a run of which only the summary is there", () => {
    const folder = join(out, "older");
    mkdirSync(folder);
    writeFileSync(join(folder, "summary.json"), JSON.stringify(trial(1, "abc", 77)));
    assert.equal(recordsAt(folder)[0]?.numbers["outage"]?.values[0]?.value, 77);
  });

  test("refuses what is no record, and says where it stands", () => {
    const file = join(out, "wrong.ndjson");
    writeFileSync(file, `${JSON.stringify(record(1, "abc", 1))}\n{"format":"else"}\n`);
    assert.throws(() => recordsAt(file), /wrong\.ndjson:2: no record of the book/);
    assert.throws(() => recordsAt(join(out, "nowhere")), /there is no such file or folder/);
  });
});

test("whatever has numbers by name is a record of the same schema", () => {
  const one = recordOfPlain({
    kind: "load",
    what: "two systems",
    command: "make load",
    asked: ["10 sessions"],
    reasons: ["one fell over"],
    numbers: {
      ...numbersIn({ ours: { pings: { p99: 7 } }, name: "x" }),
      writes: numberOf([5, 6], "/s", "more"),
    },
  });
  assert.equal(typeof parseRecord(JSON.parse(JSON.stringify(one))), "object");
  assert.deepEqual([one.validity, one.attempts.counted], ["invalid", 0]);
  assert.equal(one.numbers["ours.pings.p99"]?.values[0]?.value, 7);
  assert.deepEqual(
    one.numbers["writes"]?.values.map(({ of, value }) => [of, value]),
    [
      ["1", 5],
      ["2", 6],
    ],
  );
});

test("records are Markdown, CSV, JSON and JUnit", () => {
  const records = [
    record(1, "abc", 320),
    { ...record(2, "abc", 1), validity: "invalid" as const, reasons: ["lost"] },
  ];
  assert.match(EXPORTS.markdown(records), /\| trial \| .* \| abc \| 1 of 1 \| valid \| .*outage 320\.0 ms/);
  assert.match(EXPORTS.csv(records), /,outage,ms,1,320,/);
  assert.deepEqual(JSON.parse(EXPORTS.json(records)), JSON.parse(JSON.stringify(records)));
  assert.match(EXPORTS.junit(records), /tests="2" failures="1"/);
  assert.match(EXPORTS.junit(records), /<failure message="invalid: lost"/);
});
