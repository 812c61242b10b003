// lane: works, 8 s
// What is drawn, what is kept of it, and what is said of what was kept.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { RefusedInput } from "../terminal/problem.ts";
import { printTopology } from "../topology/text.ts";
import { type SweepAsked, type Cell, cellsOf, countOf, idOf, planned } from "./cell.ts";
import { ALL, Findings, spreadOf } from "./findings.ts";
import { drawMap, KIND_NAMES } from "./maps.ts";
import { Results } from "./results.ts";
import { outcomeOf, type Row } from "./row.ts";
import { carryOut } from "./sweep.ts";
import { carriedOut } from "./trial.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-sweep-"));
after(() => rmSync(folder, { recursive: true }));

const ASKED: SweepAsked = {
  places: [1, 2].map((map) => ({ kind: "drawn", map })),
  oracles: ["latency", "history"],
  elections: ["pole"],
  seeds: 2,
  conditions: { servers: 3, rate: "40/s", duration: "16s" },
};
const cells = [...cellsOf(ASKED)];
const first = cells[0] as Cell;

suite("maps at random", () => {
  test("come of each kind in turn; a number is a map, and another number another", () => {
    const drawn = Array.from({ length: 40 }, (_, index) => drawMap(index + 1, 5));
    for (const kind of KIND_NAMES) assert.equal(drawn.filter((map) => map.kind === kind).length, 8, kind);
    const texts = drawn.map(({ topology }) => printTopology(topology));
    assert.equal(new Set(texts).size, 40);
    assert.equal(texts[6], printTopology(drawMap(7, 5).topology));
  });

  test("are as their kind says", () => {
    const longest = new Map<string, number>();
    for (let seed = 1; seed <= 100; seed++) {
      const { kind, topology } = drawMap(seed, 5);
      assert.equal(topology.servers.size, 5);
      const names = [...topology.sites.keys()];
      for (const a of names)
        for (const b of names) {
          const ms = (topology.link(a, b).delay + topology.link(b, a).delay) / 1e3;
          if (a !== b) longest.set(kind, Math.max(longest.get(kind) ?? 0, ms));
        }
    }
    const most = (kind: string): number => longest.get(kind) ?? Number.NaN;
    assert.ok(most("metro") <= 10 && most("metro") > 5, `${most("metro")}`);
    assert.ok(most("continent") <= 80 && most("continent") > 40);
    assert.ok(most("two groups") > 70 && most("two groups") <= 210);
    assert.ok(most("no geometry") > 200 && most("no geometry") <= 250);
  });
});

suite("a cell", () => {
  test("is named by all that decides what happens", () => {
    assert.equal(cells.length, countOf(ASKED));
    const ids = cells.map((cell) => idOf(cell, "code"));
    assert.equal(new Set(ids).size, cells.length);
    assert.notEqual(idOf(first, "other code"), ids[0]);
    const faster = { ...first, conditions: { ...first.conditions, rate: "80/s" } };
    assert.notEqual(idOf(faster, "code"), ids[0]);
    assert.equal(idOf(structuredClone(first), "code"), ids[0]);
  });

  test("is a trial in which the first leader dies, whoever it is by the seed", () => {
    const leaders = [1, 2, 3].map((seed) => planned({ ...first, seed }).plan.subject.firstLeader);
    assert.equal(new Set(leaders).size, 3);
    const { plan } = planned(first);
    assert.deepEqual([plan.phases.duration, plan.faults.map(({ at }) => at)], [16e6, [6.4e6]]);
  });

  test("run twice comes to the same, and its leader is the one that the oracle holds for best", () => {
    const [once, twice] = [carriedOut(first), carriedOut(first)];
    assert.equal(outcomeOf(once), outcomeOf(twice));
    assert.deepEqual([once.verdict, once.as_expected, once.oracle], ["valid", 1, "latency"]);
    assert.equal(once.model_after_ms, once.best_after_ms, "which is the best there is");
    const above = (once.mean_after_ms ?? Number.NaN) - (once.model_after_ms ?? Number.NaN);
    assert.ok(above > 0 && above < 4, `${above} ms above the ways`);
    assert.ok(
      (once.outage_ms ?? 0) >= (once.outage_floor_ms ?? Infinity),
      "no outage is shorter than the ways",
    );
  });

  test("that cannot be a trial is a row that says why", () => {
    const far = "{ between: [a, b], rtt: 40s }";
    const text = `sites: { a: { servers: [p1, p2] }, b: { servers: [p3] } }\nlinks: [${far}]\n`;
    const row = carriedOut({ ...first, place: { kind: "written", name: "apart.yaml", text } });
    assert.deepEqual([row.verdict, row.mean_after_ms], ["failed", null]);
    assert.match(row.problem ?? "", /30 s/);
  });
});

suite("the file", () => {
  test("has each row as it came, once, also when it is opened anew", () => {
    const file = join(folder, "cells.sqlite");
    const row = carriedOut(first);
    {
      using results = new Results(file);
      assert.equal(results.has(row.id), false);
      results.add(row);
      results.add(row);
    }
    using results = new Results(file);
    assert.equal(results.has(row.id), true);
    assert.deepEqual([...results.rows()].map(outcomeOf), [outcomeOf(row)]);
    assert.deepEqual({ ...results.row(row.id) }, { ...row });
  });

  test("that is none is refused in a sentence", () => {
    const file = join(folder, "none.sqlite");
    writeFileSync(file, "some words, and more of them than a head of a database has in it".repeat(9));
    assert.throws(
      () => new Results(file),
      (error: Error) => error instanceof RefusedInput && /not a database/.test(error.message),
    );
  });
});

suite("workers", () => {
  test("carry out every cell once, whichever takes it, and come to what one alone comes to", async () => {
    const found = new Map<string, string>();
    await carryOut({
      cells,
      workers: 2,
      signal: new AbortController().signal,
      done: (row) => {
        assert.ok(!found.has(row.id));
        found.set(row.id, outcomeOf(row));
      },
      lost: (_, reason) => assert.fail(reason),
    });
    assert.equal(found.size, cells.length);
    const alone = carriedOut(first);
    assert.equal(found.get(alone.id), outcomeOf(alone));
  });

  test("a worker that fails loses its cell, says why, and the others go on", async () => {
    const lost: string[] = [];
    let done = 0;
    const broken = { ...first, place: { kind: "written", name: "odd.yaml", text: "sites: none" } } as const;
    await carryOut({
      cells: [broken, first],
      workers: 1,
      signal: new AbortController().signal,
      done: () => (done += 1),
      lost: (_, reason) => lost.push(reason),
    });
    assert.deepEqual([done, lost.length], [1, 1]);
    assert.match(lost[0] ?? "", /^odd\.yaml:1:/);
  });

  test("who is stopped takes nothing more", async () => {
    const stop = new AbortController();
    let done = 0;
    await carryOut({
      cells,
      workers: 1,
      signal: stop.signal,
      done: () => {
        done += 1;
        stop.abort();
      },
      lost: (_, reason) => assert.fail(reason),
    });
    assert.equal(done, 1);
  });
});

suite("what it says", () => {
  const row = (of: Partial<Row>): Row =>
    ({ kind: "metro", oracle: "latency", election: "pole", load_share: 0.2, verdict: "valid", ...of }) as Row;
  const made = (mean: number, model: number, best: number, outage: number): Partial<Row> => ({
    mean_after_ms: mean,
    model_after_ms: model,
    best_after_ms: best,
    outage_ms: outage,
    outage_floor_ms: 100,
    as_expected: model === best ? 1 : 0,
  });

  test("the loss to another leader apart from what the service adds, for each kind of map and all", () => {
    const findings = new Findings();
    findings.add(row(made(11, 10, 10, 130)));
    findings.add(row({ ...made(22, 20, 10, 150), kind: "world", load_share: 0.8 }));
    findings.add(row({ verdict: "invalid", kind: "world", problem: "why" }));
    const all = findings.all();
    const of = (kind: string) => all.find((one) => one.kind === kind);
    assert.deepEqual([of(ALL)?.trials, of(ALL)?.valid, of("world")?.trials], [3, 2, 2]);
    assert.deepEqual(
      [of(ALL)?.choice?.mean, of("metro")?.choice?.mean, of("world")?.choice?.mean],
      [5, 0, 10],
    );
    assert.equal(of(ALL)?.choiceShare?.mean, 0.5);
    assert.equal(of(ALL)?.service?.mean, 1.5);
    assert.equal(of(ALL)?.outage?.mean, 40);
    assert.equal(of(ALL)?.asExpected, 0.5);
    assert.equal(of("load: most of one site")?.valid, 1);
    assert.deepEqual(
      findings.worst.map(({ kind }) => kind),
      ["world"],
    );
    assert.deepEqual(
      findings.wrong.map(({ problem }) => problem),
      ["why"],
    );
  });

  test("of nothing nothing is told, and the interval narrows with the number", () => {
    assert.equal(spreadOf([]), null);
    const few = spreadOf([1, 2, 3, 4]);
    const many = spreadOf(Array.from({ length: 400 }, (_, index) => 1 + (index % 4)));
    assert.ok(few && many && many.high - many.low < (few.high - few.low) / 5);
    assert.deepEqual([few?.p95, few?.most, few?.mean], [4, 4, 2.5]);
  });
});
