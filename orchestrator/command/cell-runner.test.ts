import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { attemptsIn } from "../recording/attempts.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import type { ServiceSummary } from "../measure/summary.ts";
import { planTrial } from "../plan/flags.ts";
import { withService } from "../plan/plan.ts";
import { CellRunner } from "./cell-runner.ts";
import { expectedSeconds, secondsOf } from "./expected-seconds.ts";
import { Progress } from "./progress.ts";
import { conclude } from "../measure/conclude.ts";

const folder = mkdtempSync(join(tmpdir(), "cell-runner-"));
after(() => rmSync(folder, { recursive: true }));
const plan = planTrial({ rate: "50/s", duration: "2s", warmUp: "100ms", settle: "500ms" }, "sim");

let written = 0;
function write(into: string, recording: ServiceRecording): ServiceSummary {
  written += 1;
  const { summary } = conclude(recording);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "summary.json"), JSON.stringify(summary));
  return summary;
}

const runner = (signal = new AbortController().signal, writing = write): CellRunner =>
  new CellRunner(new Progress([1], true), signal, writing);

suite("cells that nobody watches", () => {
  test("what is done is not done again", async () => {
    const first = await runner().run("a", join(folder, "a"), plan);
    const again = await runner().run("a", join(folder, "a"), plan);
    assert.equal(written, 1);
    assert.ok(first.kind === "done" && again.kind === "done");
    assert.equal(first.summary.verdict.judgement, "valid", JSON.stringify(first.summary.verdict));
    assert.deepEqual(JSON.parse(JSON.stringify(first.summary)), again.summary);
  });

  test("another plan in its place is", async () => {
    await runner().run("a", join(folder, "a"), { ...plan, seed: 2 });
    assert.equal(written, 2);
  });

  test("what other code made is made again, and nothing is left of it", async () => {
    await runner().run("f", join(folder, "f"), plan);
    const file = join(folder, "f", "summary.json");
    const summary = JSON.parse(readFileSync(file, "utf8")) as ServiceSummary;
    const { sources = "" } = summary.environment;
    assert.match(sources, /^[0-9a-f]{12}$/);
    assert.equal(expectedSeconds(join(folder, "f"), plan), 0);
    const older = { ...summary, environment: { ...summary.environment, sources: "0123456789ab" } };
    writeFileSync(file, JSON.stringify(older));
    assert.equal(expectedSeconds(join(folder, "f"), plan), secondsOf(plan));
    const before = written;
    const outcome = await runner().run("f", join(folder, "f"), plan);
    assert.ok(outcome.kind === "done" && written === before + 1);
    assert.equal(outcome.summary.environment["sources"], sources);
  });

  test("one that fails is told, and the next is run", async () => {
    let calls = 0;
    const failing = (into: string, recording: ServiceRecording): ServiceSummary => {
      calls += 1;
      if (calls === 1) throw new Error("no room\non the disk");
      return write(into, recording);
    };
    const one = runner(undefined, failing);
    assert.deepEqual(await one.run("b", join(folder, "b"), plan), { kind: "failed", reason: "no room" });
    assert.equal((await one.run("c", join(folder, "c"), plan)).kind, "done");
    const told = (): (readonly string[])[] =>
      attemptsIn(join(folder, "b")).map(({ name, judgement, reason }) => [name, judgement, reason]);
    assert.deepEqual(told(), [["attempt-1", "broken", "no room"]]);
    assert.equal((await one.run("b", join(folder, "b"), plan)).kind, "done");
    assert.deepEqual(told(), [["attempt-1", "broken", "no room"]], "it stays beside what came of the next");
  });

  test("no more are run once somebody says why, and the reason is told", async () => {
    const cells = ["p", "q", "r"].map((id, repetition) => ({ id, arm: "latency", repetition, plan }));
    const { runs, failed } = await runner().runAll(cells, folder, ({ outcomes }) =>
      outcomes.ok > 0 ? "seen enough" : null,
    );
    assert.deepEqual([runs.map(({ id }) => id), failed], [["p"], ["p: seen enough"]]);
  });

  test("what is no result stays as an attempt; of another plan nothing does", async () => {
    const dubious = (into: string, recording: ServiceRecording): ServiceSummary => {
      const summary = write(into, recording);
      const findings = [
        { property: "sessions see one order", judgement: "invalid" as const, operations: 7, reasons: ["no"] },
      ];
      const doubted = { ...summary, verdict: { judgement: "invalid" as const, findings } };
      writeFileSync(join(into, "summary.json"), JSON.stringify(doubted));
      return doubted;
    };
    const own = join(folder, "g");
    await runner(undefined, dubious).run("g", own, plan);
    assert.deepEqual(attemptsIn(own), [], "the last one is where it was made");
    await runner().run("g", own, plan);
    const [first, ...more] = attemptsIn(own);
    assert.deepEqual(
      [first?.name, first?.judgement, first?.reason, more.length],
      ["attempt-1", "invalid", "sessions see one order: no", 0],
    );
    assert.ok(existsSync(join(own, "attempt-1", "summary.json")) && existsSync(join(own, "summary.json")));
    await runner().run("g", own, { ...plan, seed: 3 });
    assert.deepEqual(attemptsIn(own), []);
  });

  test("what keeps the first from running keeps all, and is for people to read", async () => {
    const oracle = { name: "none", preference: [], module: join(folder, "none.ts") };
    await assert.rejects(
      runner().run("d", join(folder, "d"), withService(plan, { oracle })),
      /cannot be loaded/,
    );
  });

  test("an interruption ends it, with what there is", async () => {
    const stop = new AbortController();
    const running = runner(stop.signal).run("e", join(folder, "e"), planTrial({ duration: "600s" }, "sim"));
    setTimeout(() => stop.abort(), 300);
    const outcome = await running;
    assert.equal(outcome.kind, "interrupted");
    assert.ok(outcome.summary === null || outcome.summary.verdict.judgement === "unknown");
  });
});
