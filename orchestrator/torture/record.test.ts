import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import type { Report } from "./judgement.ts";
import { appendRecord, readBroken, readRecord, tableOf } from "./record.ts";

const report = (seed: number, rest: Partial<Report> = {}): Report => ({
  seed,
  topology: "lan",
  system: "polebench",
  mutant: null,
  seconds: 60,
  faults: { crash: 2, pause: 1 },
  operations: 1000,
  acknowledged: 900,
  servedAfterMs: 100 * seed,
  judgement: "valid",
  findings: [{ property: "no acknowledged write lost", judgement: "valid", operations: 400, reasons: [] }],
  ...rest,
});

suite("a record of runs", () => {
  test("gives back what was written, but for a line that was cut off", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "polebench-record-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "new", "runs.ndjson");
    assert.deepEqual(readRecord(file), []);
    appendRecord(file, report(1));
    appendRecord(file, report(2));
    appendFileSync(file, '{"seed":3,"topo');
    assert.deepEqual(readRecord(file), [report(1), report(2)]);
  });

  test("tells the commits, and the slowest server, where they were noted", () => {
    const noted = { commit: "c0ffee", at: "2026-01-01T00:00:00Z", allServedAfterMs: 700 };
    const table = tableOf([report(1), { ...report(2), ...noted }]);
    assert.match(table, /\| 200 ms, 200 ms of 8000 \| 700 ms, 700 ms \| 0 \| \?, c0ffee \|/);
  });

  test("tells in how many runs something did not hold that was not promised", () => {
    const unkept = (reasons: readonly string[]) =>
      ({ property: "not promised: fresh", judgement: "valid", operations: 4, reasons }) as const;
    const table = tableOf([
      report(1, { findings: [unkept(["old"])] }),
      report(2, { findings: [unkept([])] }),
    ]);
    assert.match(table, /\| not promised: fresh \| 8 \| 1 \| 0 \|/);
  });

  test("counts every attempt: what was no result stays, with what came of the seed later", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "polebench-record-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "runs.ndjson");
    const origin = (hour: number, commit: string) => ({ at: `2026-01-01T0${hour}:00:00Z`, commit });
    const named = { seed: 4, topology: "lan", system: "polebench", mutant: null };
    appendRecord(file, { ...origin(1, "aaa"), ...named, broken: "no port" });
    appendRecord(file, { ...origin(2, "bbb"), ...report(4) });
    const lost = { property: "sum", judgement: "invalid", operations: 5, reasons: ["23"] } as const;
    appendRecord(file, { ...origin(3, "bbb"), ...report(5, { judgement: "invalid", findings: [lost] }) });
    const [reports, broken] = [readRecord(file), readBroken(file)];
    assert.deepEqual([reports.length, broken.length], [2, 1]);
    const table = tableOf(reports, broken);
    assert.match(table, /1 of 3 attempts are valid/);
    assert.match(table, /\| polebench lan 4 \| aaa \| broken \| no port \| valid, bbb \|/);
    assert.match(table, /\| polebench lan 5 \| bbb \| invalid \| sum \| nothing \|/);
  });

  test("becomes a table: systems apart, faults by kind, what stood behind each property", () => {
    const lost = {
      property: "no acknowledged write lost",
      judgement: "invalid",
      operations: 5,
      reasons: ["lost: e"],
    } as const;
    const reports = [
      report(1),
      report(3),
      report(2, { topology: "3dc", judgement: "invalid", findings: [lost] }),
    ];
    const table = tableOf(reports);
    assert.match(
      table,
      /\| polebench \| lan \| 2 \| 1 to 3 \| 0\.03 \| 6 \| 2000 \| 300 ms, 300 ms of 8000 \|/,
    );
    assert.match(table, /\| polebench \| 3dc \| 1 \| 2 to 2 \| 0\.02 \| 3 \| 1000 \| .* \| 1 \|/);
    assert.match(table, /\| crash \| 6 \|\n\| pause \| 3 \|/);
    assert.match(table, /\| no acknowledged write lost \| 805 \| 1 \| 0 \|/);
  });
});
