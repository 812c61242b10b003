// lane: works, 15 s
/** Whoever looks can read it and needs no mouse: contrast by WCAG (AA), light and dark, wide and narrow. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { conclude } from "../measure/conclude.ts";
import { planTrial } from "../plan/flags.ts";
import { planMembers } from "../plan/members-flags.ts";
import { simulateElection } from "../runner/virtual/members.ts";
import { simulate } from "../runner/virtual/trial.ts";
import { browse } from "../testing/browser.ts";
import { pageOf } from "./document.ts";
import { recordsOf } from "./from-recording.ts";
import { groupRecordsOf } from "./group-stream.ts";
import type { StreamRecord } from "./record.ts";

const folder = mkdtempSync(join(tmpdir(), "polebench-readable-"));
const browser = await browse();
after(async () => {
  rmSync(folder, { recursive: true });
  await browser[Symbol.asyncDispose]();
});

function written(name: string, records: readonly StreamRecord[]): string {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, pageOf(name, [{ name, records }]).text);
  return pathToFileURL(file).href;
}

const service = planTrial(
  { topology: "3dc", oracle: "latency", duration: "8s", killAt: "4s", settle: "2s", rate: "50/s" },
  "sim",
);
const election = simulateElection(
  planMembers({ topology: "3dc", members: "6", election: "le-s", duration: "8s", killAt: "4s" }, "sim"),
);
const PAGES: Readonly<Record<string, string>> = {
  "a service": written("service", recordsOf(simulate(service))),
  members: written("members", groupRecordsOf(election, conclude(election).summary)),
};
const MOMENTS = [0, 4_050_000, 8_000_000];

async function seek(page: Page, at: number): Promise<void> {
  await page.locator("input[type=range]").evaluate((slider, to) => {
    (slider as unknown as { value: string }).value = String(to);
    slider.dispatchEvent(new Event("input"));
  }, at);
}

interface Text {
  readonly text: string;
  readonly ratio: number;
}

/** Of every text that can be seen, against what is behind it; it runs on the page. */
const CONTRASTS = `(() => {
  const parts = (color) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [x, y, z]) =>
    [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  const linear = (value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement)
      layers.push(parts(getComputedStyle(at).backgroundColor));
    let color = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
    for (const layer of layers.reverse()) color = over(layer, color);
    return color;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent.trim();
    const how = { opacityProperty: true, visibilityProperty: true };
    if (text === "" || !element.checkVisibility(how)) continue;
    if (element.closest("script, style, option") !== null) continue;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    const isHaloed = isDrawn && style.paintOrder.startsWith("stroke") && style.stroke !== "none";
    const back = isHaloed ? over(parts(style.stroke), ground(element)) : ground(element);
    const front = over(parts(isDrawn ? style.fill : style.color), back);
    const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
    found.push({ text: text.slice(0, 40), ratio: (light + 0.05) / (dark + 0.05) });
  }
  return found;
})()`;

for (const [what, link] of Object.entries(PAGES))
  suite(what, () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const viewport of [
        { width: 1280, height: 900 },
        { width: 360, height: 740 },
      ])
        test(`has a contrast of 4.5 for all its text: ${colorScheme}, ${viewport.width} wide`, async (t) => {
          const page = await browser.open(link, { colorScheme, viewport });
          let least = Number.POSITIVE_INFINITY;
          for (const moment of MOMENTS) {
            await seek(page, moment);
            const texts = (await page.evaluate(CONTRASTS)) as readonly Text[];
            assert.ok(texts.length > 40, `${texts.length} texts`);
            assert.deepEqual(
              texts.filter(({ ratio }) => ratio < 4.5),
              [],
            );
            least = Math.min(least, ...texts.map(({ ratio }) => ratio));
          }
          t.diagnostic(`the least is ${least.toFixed(2)}`);
          const wide = await page.evaluate("document.documentElement.scrollWidth");
          assert.ok(Number(wide) <= viewport.width, `${String(wide)} pixels`);
        });

    test("is used by keys alone: each control is reached, is seen to be, and works", async () => {
      const page = await browser.open(link);
      const nameOf = `(one) => one.tagName + " " + (one.getAttribute("aria-label") ?? one.textContent)`;
      const controls = (await page.evaluate(`
        [...document.querySelectorAll("button, select, input, summary, [tabindex='0']")]
          .filter((one) => one.checkVisibility() && !one.disabled).map(${nameOf})`)) as readonly string[];
      assert.ok(controls.length >= 7, controls.join(", "));
      const reached = new Set<string>();
      // What scrolls is reached by itself, too.
      for (let step = 0; step < controls.length + 10; step++) {
        await page.keyboard.press("Tab");
        const { name, outline } = (await page.evaluate(`(() => {
          const one = document.activeElement;
          const { outlineStyle, outlineWidth } = getComputedStyle(one);
          return { name: (${nameOf})(one), outline: outlineStyle === "none" ? 0 : parseFloat(outlineWidth) };
        })()`)) as { name: string; outline: number };
        if (!controls.includes(name)) continue;
        assert.ok(outline >= 2, `${name}: ${outline}`);
        reached.add(name);
      }
      assert.deepEqual(
        controls.filter((name) => !reached.has(name)),
        [],
      );
      await page.evaluate("document.activeElement.blur()");
      const clock = page.locator(".clock");
      await page.keyboard.press("End");
      const end = await clock.textContent();
      await page.keyboard.press("Home");
      assert.notEqual(await clock.textContent(), end);
    });
  });
