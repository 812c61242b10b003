import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { type PaperFigure, writePaperReport } from "./paper-report.ts";

const figure: PaperFigure = {
  figure: "6",
  section: "4.2",
  claim: "The leader decides the latency.",
  notRun: null,
  runs: 3,
  expectations: [
    {
      what: "the outage is within its bound",
      holdsIn: 2,
      runs: 3,
      except: [{ run: "p1-1", found: "300 ms" }],
    },
  ],
  omitted: [],
  superseded: ["p3-1, attempt-1: no port"],
  discarded: ["p4-1: the network is the topology's"],
  figures: [],
  comparison: [],
  checks: [
    { what: "p3 is best", holds: true },
    { what: "p1 is worst", holds: false },
  ],
};

test("the paper's page says how it was made, and a program learns what differs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "polebench-paper-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const provenance = { command: "make paper", engine: "plane: user-space packet plane", kernel: "6.1" };
  await writePaperReport(folder, "netns, 1 run a point, seed 7", provenance, [figure]);
  const text = (file: string): string => readFileSync(join(folder, file), "utf8");
  for (const file of ["report.html", "README.md", "paper.json"]) {
    for (const said of ["seed 7", "plane: user-space packet plane", "make paper"]) {
      assert.ok(text(file).includes(said), `${file}: ${said}`);
    }
  }
  assert.match(text("report.html"), /<td>2 of 3 runs<\/td><td><div>p1-1: 300 ms<\/div>/);
  assert.match(text("report.html"), /3 of 5 attempts counted\. Not counted: p3-1, attempt-1: no port; p4-1/);
  assert.match(text("junit.xml"), /tests="3" failures="2"/);
  assert.match(text("junit.xml"), /figure 6: p1 is worst \(3 looked at\)"><failure/);
  assert.match(text("junit.xml"), /a run that counts .*p4-1: the network is the topology/);
});
