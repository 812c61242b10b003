import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { planTrial } from "../plan/flags.ts";
import { attemptsIn, forgetOthers, questionOf, setAside } from "./attempts.ts";

const root = mkdtempSync(join(tmpdir(), "attempts-"));
after(() => rmSync(root, { recursive: true }));
const why = { judgement: "invalid", reason: "the network was late", of: "c0ffee" } as const;

suite("attempts that are no result", () => {
  test("stay with all that they left, numbered, and the folder is free for the next", () => {
    const folder = join(root, "a");
    assert.deepEqual(attemptsIn(folder), []);
    setAside(folder, { ...why, judgement: "broken", reason: "no port" });
    for (let number = 2; number <= 11; number++) {
      writeFileSync(join(folder, "summary.json"), `${number}`);
      setAside(folder, why);
    }
    const kept = attemptsIn(folder);
    assert.deepEqual(
      kept.map(({ name }) => name),
      Array.from({ length: 11 }, (_, index) => `attempt-${index + 1}`),
    );
    assert.deepEqual([kept[0]?.judgement, kept[0]?.reason], ["broken", "no port"]);
    assert.equal(readFileSync(join(folder, "attempt-11", "summary.json"), "utf8"), "11");
    assert.ok(!existsSync(join(folder, "summary.json")));
  });

  test("of another question go when a new one is asked there", () => {
    const folder = join(root, "b");
    setAside(folder, why);
    setAside(folder, { ...why, of: "decaf" });
    forgetOthers(folder, "decaf");
    assert.deepEqual(
      attemptsIn(folder).map(({ name }) => name),
      ["attempt-2"],
    );
    setAside(folder, why);
    assert.equal(attemptsIn(folder).at(-1)?.name, "attempt-3", "no number is given twice");
  });

  test("a question is its plan, whatever its seed decides included", () => {
    const plan = planTrial({}, "sim");
    assert.equal(questionOf(plan), questionOf(planTrial({}, "sim")));
    assert.notEqual(questionOf(plan), questionOf({ ...plan, seed: 2 }));
  });
});
