// lane: works, 20 s
// The page of each algorithm in a browser that reaches nothing else: step by step it shows what was recorded.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { type LectureName, lectures } from "#node/theory/catalog.ts";
import { browse } from "../testing/browser.ts";
import { type Story, tell } from "../theory/story.ts";
import { storyPage } from "./story-page.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-story-"));
const browser = await browse();
after(async () => {
  rmSync(folder, { recursive: true });
  await browser[Symbol.asyncDispose]();
});

async function opened(name: string, story: Story): Promise<Page> {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, storyPage(story));
  return browser.open(pathToFileURL(file).href, { offline: true });
}

const happens = (page: Page): Promise<string[]> => page.locator("#happens li").allTextContents();
const under = (page: Page): Promise<number> => page.locator("#stage > g").first().locator("circle").count();

/** Of this moment, as the recording has it. */
const linesAt = ({ lines, ids }: Story, at: number): readonly string[] =>
  lines.filter((line) => line.at === at).map(({ place, text }) => `p${ids[place]} ${text}`);

for (const name of Object.keys(lectures) as readonly LectureName[]) {
  const story = tell(lectures[name], lectures[name].example);
  const ends = [...story.flights.map(({ arrives }) => arrives), ...story.lines.map(({ at }) => at)];
  const end = Math.max(...ends);
  // Rounds in which nothing happens are many where rounds grow with ids.
  const moments = [...new Set([0, ...story.lines.map(({ at }) => at), end])].slice(0, 60);

  suite(name, () => {
    test("each moment has what happened then, and what is under way until the next", async () => {
      const page = await opened(name, story);
      for (const moment of moments) {
        await page.locator("#moment").fill(String(moment));
        assert.deepEqual(await happens(page), linesAt(story, moment), `moment ${moment}`);
        const flying = story.flights.filter(({ left, arrives }) => left <= moment && moment < arrives);
        assert.equal(await under(page), flying.length, `under way at ${moment}`);
      }
    });

    test("steps go on and back, and in the end the leader is marked", async () => {
      const page = await opened(name, story);
      await page.locator("#next").click();
      assert.deepEqual(await happens(page), linesAt(story, Math.min(1, end)));
      await page.locator("#back").click();
      assert.deepEqual(await happens(page), linesAt(story, 0));
      await page.locator("#moment").fill(String(end));
      const marks = await page.locator("#stage > text").allTextContents();
      assert.equal(marks.filter((text) => text === "leads").length, story.outcome.leaders.length);
      assert.equal(marks.filter((text) => text === "dead").length, story.deaths.size);
    });
  });
}

test("it plays by itself, and stands at the end", async () => {
  const story = tell(lectures.vote, lectures.vote.example);
  const page = await opened("played", story);
  await page.locator("#speed").selectOption("3");
  await page.locator("#play").click();
  await page.waitForFunction('document.getElementById("play").textContent === "Play"');
  assert.equal(await page.locator("#now").textContent(), "moment 3 of 3");
});
