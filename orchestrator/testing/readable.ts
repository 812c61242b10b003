/** What a report shows, as text that a test can hold beside what it was, and that a person can read. */

import { createCanvas, loadImage } from "@napi-rs/canvas";
import { drawPng, type Figure } from "../report/chart/figure.ts";

/** The words and numbers of a page and the places on its map, without pictures, coasts and style. */
export const readable = (page: string): string =>
  page
    .replaceAll(/<style.*?<\/style>|<summary>The numbers, also in.*?<\/details>/gs, "")
    .replaceAll(/<\/t[dh]><t[dh][^>]*>/g, " | ")
    .replaceAll(/<(?!circle|line|text)[^>]*>/g, "\n")
    .replaceAll(/\n\s*/g, "\n")
    .trimStart();

/** What the library gets that is no function: to the thousandth, a long list by its beginning and end. */
export function configured({ title, caption, width, height, config }: Figure): string {
  const short = (_: string, value: unknown): unknown => {
    if (typeof value === "number") return Number(value.toFixed(3));
    if (!Array.isArray(value) || value.length <= 12) return value;
    return [...value.slice(0, 6), `... ${value.length} in all`, ...value.slice(-6)];
  };
  const { plugins: _, ...plain } = config;
  return `${JSON.stringify({ title, caption, width, height, ...plain }, short, 1)}\n`;
}

/**
 * A chart's picture in letters, one for each square of 5 units: how dark it is, from 0 to 9, paper being
 * left out.
 */
export async function coarse(figure: Figure): Promise<string> {
  const image = await loadImage(await drawPng(figure));
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
  const darkness = (left: number, top: number): string => {
    let sum = 0;
    for (let y = top; y < top + SQUARE; y++)
      for (let x = left; x < left + SQUARE; x++) {
        const at = 4 * (y * width + x);
        sum += 765 - (data[at] ?? 0) - (data[at + 1] ?? 0) - (data[at + 2] ?? 0);
      }
    const level = Math.min(9, Math.floor((DARKEST * sum) / (765 * SQUARE * SQUARE)));
    return level === 0 ? " " : String(level);
  };
  const lines: string[] = [];
  for (let top = 0; top + SQUARE <= height; top += SQUARE) {
    let line = "";
    for (let left = 0; left + SQUARE <= width; left += SQUARE) line += darkness(left, top);
    lines.push(line.trimEnd());
  }
  return `${lines.join("\n")}\n`;
}

/** Pictures have two pixels for each unit. */
const SQUARE = 10;
const DARKEST = 20;
