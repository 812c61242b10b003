import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { AttemptFile } from "./attempt-file.ts";

const CELL = { repetition: 1, scenario: "steady", arm: "etcd" };

test("a bench that was stopped finds what it has measured, and nothing that was measured otherwise", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-journal-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "deep", "attempts.ndjson");
  const first = new AttemptFile(file, "5 s each");
  first.add({ ...CELL, judgement: "invalid", reason: "others took 30 %", values: { writes3: [1] } });
  first.add({ ...CELL, judgement: "valid", reason: null, values: { writes3: [5000] } });
  first.add({ ...CELL, arm: "polebench", judgement: "valid", reason: null, values: {} });
  appendFileSync(file, readFileSync(file, "utf8").slice(0, 40));

  const again = new AttemptFile(file, "5 s each");
  assert.deepEqual(
    again.of(CELL).map(({ judgement, values }) => [judgement, values.writes3]),
    [
      ["invalid", [1]],
      ["valid", [5000]],
    ],
  );
  assert.deepEqual(again.of({ ...CELL, repetition: 2 }), []);
  assert.equal(again.all.length, 3);
  assert.deepEqual(new AttemptFile(file, "10 s each").of(CELL), []);
});
