import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { comparisonBars } from "./comparison-bars.ts";
import { drawPng } from "./figure.ts";
import { tile } from "./fill.ts";
import { FAINT, FAULT_COLOUR, INK, look, LOOK_COUNT, SHADES } from "./style.ts";

const looks = Array.from({ length: LOOK_COUNT }, (_, index) => look(index));

/** Relative luminance (WCAG 2): what is left of a colour on paper, 0 to 1. */
function luminance(red: number, green: number, blue: number): number {
  const linear = (value: number): number =>
    value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

const ofColour = (colour: string): number =>
  luminance(
    ...(colour.match(/[0-9a-f]{2}/gi)?.map((part) => Number.parseInt(part, 16)) as [number, number, number]),
  );

/** How light it looks (L* of CIE 1976), 0 to 100. */
const lightness = (light: number): number => 116 * Math.cbrt(light) - 16;

const onWhite = (colour: string): number => 1.05 / (ofColour(colour) + 0.05);

suite("charts in black and white", () => {
  test("words have the contrast that small text needs, lines are seen on paper", () => {
    for (const colour of [INK, FAINT, FAULT_COLOUR]) assert.ok(onWhite(colour) >= 4.5, colour);
    for (const { colour } of looks) assert.ok(onWhite(colour) >= 2, colour);
  });

  test("every line has a dash and a marker of its own", () => {
    assert.equal(new Set(looks.map(({ dash }) => dash.join(" "))).size, looks.length);
    assert.equal(new Set(looks.map(({ point }) => point)).size, looks.length);
  });

  test("stages grow lighter in even steps, and the last is not yet paper", () => {
    const light = SHADES.map((shade) => lightness(ofColour(shade)));
    for (const [index, value] of light.entries()) {
      const next = light[index + 1] ?? 100;
      assert.ok(next - value >= 10, `${SHADES[index]} is ${value.toFixed(0)}, the next ${next.toFixed(0)}`);
    }
  });

  test("no two fills are the same grey: they differ pixel by pixel by a tenth of the way to white", () => {
    const greys = looks.map((_, index) => {
      const canvas = tile(index);
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return Array.from({ length: data.length / 4 }, (_pixel, at) =>
        lightness(luminance(data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0)),
      );
    });
    for (const [a, one] of greys.entries()) {
      for (const [b, other] of greys.entries()) {
        if (a >= b) continue;
        const apart =
          one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
        assert.ok(apart >= 10, `fills ${a} and ${b} are ${apart.toFixed(1)} apart`);
      }
    }
  });
});

test("what physics allows hides neither the top of a bar nor its interval", async () => {
  const [at, below] = [await middleOfBar(100), await middleOfBar(50)];
  const ink = Number.parseInt(INK.slice(1, 3), 16);
  assert.ok(at.slice(0, at.length / 2).filter((red) => red === ink).length > 20, "there is an interval");
  assert.deepEqual(at, below);
});

/** The reds of one column of pixels, through the middle of a bar of 100 with an interval from 95 to 105. */
async function middleOfBar(model: number): Promise<readonly number[]> {
  const bars = [{ label: "history", values: [{ middle: 100, low: 95, high: 105, model }] }];
  const figure = comparisonBars({ name: "a", title: "a", caption: "a", unit: "ms", series: ["all"], bars });
  const image = await loadImage(await drawPng(figure));
  const ctx = createCanvas(image.width, image.height).getContext("2d");
  ctx.drawImage(image, 0, 0);
  const row = ctx.getImageData(0, image.height / 2, image.width, 1).data;
  const red = (of: Uint8ClampedArray, place: number): number => of[place * 4] ?? 255;
  const inside = Array.from({ length: image.width }, (_, x) => x).filter((x) => red(row, x) < 10);
  const middle = Math.round(((inside[0] ?? 0) + (inside.at(-1) ?? 0)) / 2);
  const column = ctx.getImageData(middle, 0, 1, image.height).data;
  return Array.from({ length: image.height }, (_, y) => red(column, y));
}
