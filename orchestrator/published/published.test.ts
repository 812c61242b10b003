import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { has, measuredIn } from "./numbers.ts";
import { measuredWithoutData, notIn, pageFrom, unfounded } from "./page.ts";

const root = new URL("../../", import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), "utf8");
const kept = (path: string): string => text(`reports/published/${path}`);

suite("numbers in a text", () => {
  test("are measured when they have a unit or a point; names, code, dates and versions have neither", () => {
    const said =
      "p99 of 3dc took 31.9 ms at 1,000 writes/s, 12 % and 250 MB more than Figure 6's; see `7.7 ms` " +
      "of 2026-11-19, [there](a-1.5.md), Apache ZooKeeper 3.8.0, in 5 of 9 runs, 2.97.";
    assert.deepEqual(measuredIn(said), ["31.9", "12", "250", "2.97"]);
  });

  test("are in the data when one there is printed like them, also in other units", () => {
    const data = [0.03187, 22.6];
    assert.deepEqual(
      ["31.9", "31.8", "31.87", "22.6", "23", "22", "3.2"].map((one) => has(data, one)),
      [true, false, true, true, true, false, true],
    );
  });
});

suite("a page that is made of its data", () => {
  const files: Record<string, string> = {
    "a.json": JSON.stringify({
      arms: [
        {
          arm: "latency",
          runs: 7,
          leaders: [3],
          meanAfterMs: { middle: 31.87 },
          outageMs: null,
          modelMs: 31,
        },
      ],
      made: { command: "make compare", commit: "c0ffee1", sources: "5e5e", kernel: "6.1" },
    }),
    "b.txt": "took 7.25 s\n",
  };
  const read = (path: string): string => files[path] ?? assert.fail(`no ${path}`);
  const template = [
    "# Results\n",
    "## Compared\n",
    "{{state a.json}}\n",
    "{{table a.json}}\n",
    "It took 31.9 ms.\n",
    "*No data kept, commit `abcdef1`*: once it took 99.9 ms.\n",
    "## Printed\n",
    "{{text b.txt}}\n",
    "That is 7.3 s.\n",
  ].join("\n");
  const page = pageFrom(template, read);

  test("has tables and states, and nothing is unfounded", () => {
    assert.match(page, /\| latency \| 7 \| p3 \| 31\.9 ms \| 31\.0 \|/);
    assert.match(
      page,
      /\*State: commit c0ffee1, sources 5e5e; `make compare`; kernel 6\.1\. Data: \[a\.json\]/,
    );
    assert.match(page, /```\ntook 7\.25 s\n```/);
    assert.deepEqual(unfounded(template, page, read), []);
  });

  test("not so: a number in the prose that no data of its section has", () => {
    const wrong = template.replace("It took 31.9", "It took 30.9").replace("7.3 s", "31.9 ms");
    assert.deepEqual(unfounded(wrong, pageFrom(wrong, read), read), [
      "## Compared: 30.9 is in none of its data",
      "## Printed: 31.9 is in none of its data",
    ]);
  });

  test("not so: a page that was edited by hand, or made of other data", () => {
    assert.match(
      unfounded(template, page.replace("| 31.9 ms", "| 29.9 ms"), read).join(),
      /## Compared: the page/,
    );
    const other = (path: string): string => read(path).replace("31.87", "35.2");
    assert.match(unfounded(template, page, other).join(), /## Compared: the page is not what its data makes/);
  });

  test("not so: data that says of no state, and a number without data that names no commit", () => {
    const stateless = (path: string): string => read(path).replace('"made"', '"else"');
    assert.throws(() => pageFrom(template, stateless), /a\.json: of which state it is stands neither/);
    const unnamed = template.replace("*No data kept, commit `abcdef1`*", "*No data kept*");
    assert.deepEqual(unfounded(unnamed, pageFrom(unnamed, read), read), [
      "## Compared: 99.9 is in none of its data",
    ]);
  });
});

suite("each kind of data has its table", () => {
  const shown = (data: unknown): string => pageFrom("{{table a.json}}", () => JSON.stringify(data));

  test("a bench, of its attempts: what counts, and what was measured in vain and why", () => {
    const attempt = (arm: string, change: object) => ({
      repetition: 1,
      scenario: "steady",
      arm,
      judgement: "valid",
      reason: null,
      values: {},
      ...change,
    });
    const page = shown({
      flags: { system: ["polebench", "etcd"], repetitions: 1 },
      attempts: [
        attempt("polebench", { values: { writes3: [90_000] } }),
        attempt("etcd", { judgement: "invalid", reason: "others took 30 % of the processors" }),
        attempt("etcd", { values: { writes3: [30_000] } }),
      ],
    });
    assert.match(page, /setData of 1 kB, 3 servers +90000 .* 30000 .* 3\.00 /);
    assert.match(page, /2 of 3 attempts count\.\n- etcd, steady, repetition 1: others took 30 %/);
  });

  test("the leader lost, each way with the longest of its silences", () => {
    const silences = [1, 2].map((repetition) => ({ repetition, ms: 30 * repetition, atLeast: false }));
    const arms = [{ arm: "latency", runs: 2, attempts: 3, silences, leaders: "p4", outageMs: null }];
    assert.match(
      shown({ kinds: [{ kind: "pause", arms }] }),
      /\*\*pause\*\*[^]*\| latency \| 2 \| 3 \| 45 \| 60 \| p4 /,
    );
  });

  test("live beside virtual, each kind of trial with whether it is out of sample", () => {
    const quantity = { name: "mean", live: "31 ms", simulated: "30 ms", ratio: 1.033, agreed: "same" };
    const one = { of: "2dc", runs: 6, inSample: false, machine: "here", quantities: [quantity] };
    const page = shown({ agreements: [one] });
    assert.match(
      page,
      /\*\*2dc, 6 runs \(out of sample\); here\*\*[^]*\| mean \| 31 ms \| 30 ms \| 1\.033 \| same/,
    );
  });

  test("a state has the machine's parts, and the command", () => {
    const made = {
      command: "make bench",
      commit: "c0ffee1",
      sources: "5e5e",
      machine: { processor: "EPYC", processors: 2, kernel: "6.1" },
      settings: { etcd: {} },
    };
    const page = pageFrom("{{state a.json}}", () => JSON.stringify({ made }));
    assert.match(page, /commit c0ffee1, sources 5e5e; `make bench`; kernel 6\.1; 2 x EPYC/);
  });
});

suite("this repository", () => {
  test("the published page is what its template and data make, and so is every number on it", () => {
    const template = kept("page.md");
    const remedy = "make published rewrites it, make published CHECK=1 says what is wrong";
    assert.deepEqual(unfounded(template, kept("README.md"), kept), [], remedy);
    assert.equal(kept("README.md"), pageFrom(template, kept), remedy);
  });

  test("the paper's page has no number that its data has not; one that is changed is found", () => {
    const [data, page] = [kept("paper/paper.json"), kept("paper/README.md")];
    assert.deepEqual(notIn(data, page), []);
    assert.deepEqual(notIn(data, page.replace("| 32.8 ms |", "| 30.07 ms |")), ["30.07"]);
  });

  test("the README states no measured number", () => {
    assert.deepEqual(measuredWithoutData(text("README.md")), []);
  });
});
