// lane: works, 8 s
/** The page in a browser: what it shows of a whole run with a kill is what the recording says. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { conclude } from "../measure/conclude.ts";
import { leaderAt } from "../measure/recovery.ts";
import { parseThreshold, type Threshold } from "../measure/threshold.ts";
import { planTrial } from "../plan/flags.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { browse } from "../testing/browser.ts";
import { pageOf } from "./document.ts";
import { recordsOf } from "./from-recording.ts";

const plan = planTrial(
  { topology: "3dc", oracle: "latency", duration: "8s", killAt: "4s", settle: "2s", rate: "150/s" },
  "sim",
);
const recording = simulate(plan);
const thresholds = ["outage<50ms", "mean.after<200ms"].map((text) => parseThreshold(text, []) as Threshold);
const { measures, summary } = conclude(recording, thresholds);
const folder = mkdtempSync(join(tmpdir(), "polebench-view-"));
const file = join(folder, "replay.html");
writeFileSync(file, pageOf("a run", [{ name: "a run", records: recordsOf(recording, thresholds) }]).text);
const link = pathToFileURL(file).href;
const browser = await browse();
after(async () => {
  rmSync(folder, { recursive: true });
  await browser[Symbol.asyncDispose]();
});

/** As one drags the slider there. */
async function seek(page: Page, at: number): Promise<void> {
  await page.locator("input[type=range]").evaluate((slider, to) => {
    (slider as unknown as { value: string }).value = String(to);
    slider.dispatchEvent(new Event("input"));
  }, at);
}

/** The cells of a row, by the words in its first. */
async function row(page: Page, caption: string, name: string): Promise<string[]> {
  const table = page.locator("table", { has: page.locator("caption", { hasText: caption }) });
  const found = table.locator("tbody tr", { has: page.locator("th", { hasText: new RegExp(`^${name}`) }) });
  return found.locator("td").allTextContents();
}

const printed = (ms: number): string => `${ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : 2)} ms`;

suite("a replay of a whole run with a kill", () => {
  test("adds up to every request, site by site, with the means that were measured", async () => {
    const page = await browser.open(link);
    await page.keyboard.press("End");
    for (const [site, own] of [["all", recording.operations] as const, ...bySite()]) {
      const ok = own.filter(({ outcome }) => outcome === "ok");
      const mean =
        ok.reduce((sum, { intended, completed }) => sum + (completed - intended) / 1e3, 0) / ok.length;
      const count = (outcome: string): string => String(own.filter((one) => one.outcome === outcome).length);
      const [first, failed, unknown, shown] = await row(page, "Writes so far", site);
      assert.deepEqual(
        [first, failed, unknown, shown],
        [String(ok.length), count("failed"), count("unknown"), printed(mean)],
      );
    }
  });

  test("says at each moment who leads, as the servers' events do", async () => {
    const page = await browser.open(link);
    const state = async (): Promise<string> => (await page.locator(".state").textContent()) ?? "";
    for (const { leader, epoch, from } of measures.reigns) {
      if (from < 0) continue;
      await seek(page, Math.ceil(from / 1000) * 1000);
      assert.match(await state(), new RegExp(`^p${leader} leads epoch ${epoch};`));
      assert.equal(await page.locator(`.server.leading .label`).textContent(), `p${leader} e${epoch}`);
    }
    await seek(page, 3_900_000);
    assert.match(await state(), new RegExp(`^p${leaderAt(measures.reigns, 0)} leads`));
    await seek(page, 4_005_000);
    assert.match(await state(), /^nobody leads;/);
    assert.equal(await page.locator(".server.down").count(), 1);
  });

  test("its stopwatch runs from the fault until clients were served, and stands there", async () => {
    const page = await browser.open(link);
    await seek(page, 4_010_000);
    assert.equal(await page.locator("[data-outage=running]").textContent(), "10.0 ms");
    await page.keyboard.press("End");
    assert.ok(measures.outage !== null && measures.recovery !== null);
    assert.equal(await page.locator("[data-outage=over]").textContent(), printed(measures.outage.ms));
    const [who, took] = await row(page, "Stages", "first write served");
    assert.deepEqual([who, took], [`p${measures.outage.server}`, printed(measures.outage.ms)]);
    assert.equal((await row(page, "Stages", "established"))[0], `p${measures.recovery.leader}`);
    for (const [site, ms] of Object.entries(measures.outage.sites))
      assert.deepEqual(await row(page, "Served again", site), [printed(ms)]);
    const verdict = (await page.locator(".verdict").textContent()) ?? "";
    assert.ok(verdict.startsWith(`${summary.verdict.judgement}: `), verdict);
    assert.match(verdict, /outage<50ms: missed; mean\.after<200ms: kept$/);
  });

  test("shows all candidates of the round that found the leader, each with its numbers", async () => {
    const page = await browser.open(link);
    await page.keyboard.press("End");
    const { election } = measures;
    assert.ok(election !== null && election.candidates.length === 4);
    for (const { server, score, why } of election.candidates) {
      const [shown, ...numbers] = await row(page, `Round ${election.round}`, `p${server}`);
      assert.equal(shown, score.map((part) => Number(part.toPrecision(6))).join(" "));
      const said = Object.values(why).map((value) => String(Number(value.toPrecision(5))));
      assert.deepEqual(numbers.slice(0, said.length), said);
    }
    const winner = page.locator("th", { hasText: "★ elected" });
    assert.equal(await winner.textContent(), `p${election.leader} ★ elected`);
  });

  test("goes from event to event by key, each of them the moment of a line of the story", async () => {
    const page = await browser.open(link);
    await seek(page, 3_999_000);
    const clock = page.locator(".clock");
    const seen: string[] = [];
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press("ArrowRight");
      seen.push((await clock.textContent()) ?? "");
      const last = await page.locator(".log li:not(.later)").last().locator("time").textContent();
      assert.equal(last, seen.at(-1));
    }
    assert.deepEqual(seen, seen.toSorted());
    assert.equal(seen[0], "4.000 s");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await clock.textContent(), seen.at(-2));
  });
});

suite("whoever looks", () => {
  test("with a narrow screen need not scroll sideways; every control has a name", async () => {
    const page = await browser.open(link, { viewport: { width: 360, height: 740 } });
    await page.keyboard.press("End");
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    assert.ok(Number(wide) <= 360, `${String(wide)} pixels`);
    const controls = await page.locator("button, select, input").all();
    assert.ok(controls.length >= 6);
    for (const control of controls) {
      const name = await control.evaluate((one) => one.getAttribute("aria-label") ?? one.textContent);
      assert.match(name ?? "", /\w/);
    }
  });

  test("and wants no motion sees no messages fly", async () => {
    const still = await browser.open(link, { reducedMotion: "reduce" });
    await seek(still, 4_060_000);
    assert.equal(await still.locator(".dot[visibility=visible]").count(), 0);
    const moving = await browser.open(link);
    await seek(moving, 4_060_000);
    await moving.locator(".dot[visibility=visible]").first().waitFor({ state: "attached" });
  });

  test("for the first time is guided from the beginning to the end of the outage", async () => {
    const page = await browser.open(link);
    await page.getByRole("button", { name: "Guide me through it" }).click();
    const title = page.locator(".guide strong");
    assert.match((await title.textContent()) ?? "", /^1 of 6: p5 leads$/);
    for (let step = 0; step < 5; step++)
      await page.getByRole("button", { name: "Next", exact: true }).click();
    assert.match((await title.textContent()) ?? "", /^6 of 6: Served again, \d+ ms later$/);
    assert.equal(await page.locator("[data-outage=over]").count(), 1);
  });
});

function bySite(): (readonly [string, typeof recording.operations])[] {
  return [...Map.groupBy(recording.operations, ({ site }) => site)];
}
