import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { suite } from "node:test";
import { planMembers } from "../plan/members-flags.ts";
import { printPlan } from "../plan/plan-text.ts";
import { isServiceRecording } from "../recording/recording.ts";
import { readRecording, writeRecording } from "../recording/run-folder.ts";
import { simulateElection } from "../runner/virtual/members.ts";
import { writeElectionReport } from "./election-report.ts";

suite("the folder of an election by itself", () => {
  test("holds the whole recording, a page, a chart, and a summary that is valid", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "polebench-members-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const recording = simulateElection(planMembers({ loss: "10%", killAt: "10s" }, "sim"));
    writeRecording(folder, recording);
    const kept = readRecording(folder);
    assert.ok(!isServiceRecording(kept));
    const comparable = ({ plan, ...rest }: typeof kept) => ({ ...rest, plan: printPlan(plan) });
    assert.deepEqual(comparable(kept), comparable(recording));
    const { verdict, leader, living } = await writeElectionReport(folder, kept, []);
    assert.deepEqual([verdict.judgement, leader, living], ["valid", 4, 4], JSON.stringify(verdict.findings));
    assert.deepEqual(readdirSync(folder).sort(), [
      "beliefs.csv",
      "beliefs.png",
      "events.ndjson",
      "junit.xml",
      "measured.json",
      "messages.csv",
      "messages.png",
      "report.html",
      "summary.json",
      "trial.json",
    ]);
    const told = readFileSync(join(folder, "messages.csv"), "utf8");
    assert.match(told, /^second,member,what\r\n/);
    assert.ok(told.includes("10,5,ends\r\n"), "the leader's death");
    assert.match(readFileSync(join(folder, "report.html"), "utf8"), /le-s: 4 leads; agreed in/);
  });
});
