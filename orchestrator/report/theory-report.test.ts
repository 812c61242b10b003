// lane: works, 3 s
// The report of an algorithm: its files, and that a wrong formula of a lecture is shown as wrong.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Random } from "#node/core/random.ts";
import { type LectureName, lectures } from "#node/theory/catalog.ts";
import { costsOf } from "../theory/costs.ts";
import { tell } from "../theory/story.ts";
import { theoryMessages } from "./chart/theory-lines.ts";
import { theoryTable, writeTheoryIndex, writeTheoryReport } from "./theory-report.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-theory-"));
after(() => rmSync(folder, { recursive: true }));

const made = (name: LectureName) => {
  const lecture = lectures[name];
  const costs = [2, 3, 4, 5].map((n) => costsOf(lecture, n, new Random(1)));
  return { name, lecture, costs, story: tell(lecture, lecture.example), command: "polebench theory" };
};

test("a page with its charts, tables and story", async () => {
  const hs = made("hs");
  await writeTheoryReport(join(folder, "hs"), hs);
  for (const file of ["theory-messages.png", "theory-time.png", "story.html", "story.txt"])
    assert.ok(existsSync(join(folder, "hs", file)), file);
  const page = readFileSync(join(folder, "hs", "report.html"), "utf8");
  assert.match(page, /nothing counted contradicts what is said below/);
  assert.match(page, /Dashed: 4n \+ sum .* Not so: phase 0 costs 3n, not 4n/);
  const csv = readFileSync(join(folder, "hs", "theory-messages.csv"), "utf8");
  assert.match(csv, /^5,49,52\.6\d+,55,49,52\.6\d+,57,/m, "what was counted, then what is said");
  const { costs } = JSON.parse(readFileSync(join(folder, "hs", "summary.json"), "utf8")) as typeof hs;
  assert.deepEqual(costs, hs.costs);
});

test("what the lecture prints and is not so is a dashed line; what it says rightly is none", () => {
  const dashed = (name: LectureName) => {
    const { lecture, costs } = made(name);
    const { datasets } = theoryMessages(lecture.title, costs, lecture.theory).config.data;
    return datasets.filter((line) => "borderDash" in line && (line.borderDash as number[]).length > 0);
  };
  assert.equal(dashed("hs").length, 1);
  assert.equal(dashed("bully").length, 2);
  assert.equal(dashed("lcr").length, 0);
});

test("the table has what is said beside what was counted", () => {
  const { columns, rows } = theoryTable(made("bully"));
  assert.deepEqual(columns.slice(0, 8), ["n", "played", "least", "said", "mean", "said", "most", "said"]);
  assert.deepEqual(rows.at(-1), ["5", "all 4", "4", "4", "10.5", "10.5", "19", "19", "2 to 3", "3 to 4"]);
});

test("a contradiction is told before everything else, and on the page of all", async () => {
  const lcr = made("lcr");
  const [first, ...others] = lcr.costs;
  assert.ok(first);
  const costs = [{ ...first, contradictions: ["n = 2: too many"] }, ...others];
  await writeTheoryReport(join(folder, "lcr"), { ...lcr, costs });
  const page = readFileSync(join(folder, "lcr", "report.html"), "utf8");
  assert.match(page, /badge invalid">invalid.*<li>n = 2: too many<\/li>/s);
  await writeTheoryIndex(folder, [{ ...lcr, costs }, made("hs")]);
  const index = readFileSync(join(folder, "report.html"), "utf8");
  assert.match(index, /href="lcr\/report\.html".*invalid.*href="hs\/report\.html".*valid/s);
});
