/**
 * How bars are filled. Two colours that everyone can tell apart may still be one grey on paper, so each fill
 * has a texture of its own too.
 */

import { type Canvas, type CanvasPattern, createCanvas } from "@napi-rs/canvas";
import { look } from "./style.ts";

type Texture = "plain" | "rising" | "dots" | "level" | "falling" | "grid" | "pale";

/** In the order of looks: neighbours differ most. */
const TEXTURES: readonly Texture[] = ["plain", "rising", "dots", "level", "grid", "falling", "pale"];

/** What chart.js takes as a colour. */
export function fill(index: number): CanvasPattern {
  const pattern = createCanvas(1, 1).getContext("2d").createPattern(tile(index), "repeat");
  pattern.setTransform({ a: 1 / SHARPNESS, b: 0, c: 0, d: 1 / SHARPNESS, e: 0, f: 0 });
  return pattern;
}

/** What a fill repeats. */
export function tile(index: number): Canvas {
  const canvas = createCanvas(SIZE * SHARPNESS, SIZE * SHARPNESS);
  const ctx = canvas.getContext("2d");
  const { colour } = look(index);
  const texture = TEXTURES[index % TEXTURES.length] ?? "plain";
  ctx.scale(SHARPNESS, SHARPNESS);
  ctx.fillStyle = "white";
  ctx.fillRect(0, 0, SIZE, SIZE);
  ctx.globalAlpha = TINTS[texture];
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, SIZE, SIZE);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colour;
  ctx.lineWidth = STROKE;
  for (const [fromX, fromY, toX, toY] of LINES[texture]) {
    ctx.beginPath();
    ctx.moveTo(fromX * SIZE, fromY * SIZE);
    ctx.lineTo(toX * SIZE, toY * SIZE);
    ctx.stroke();
  }
  if (texture === "dots") {
    ctx.beginPath();
    ctx.arc(SIZE / 2, SIZE / 2, STROKE * 0.8, 0, 2 * Math.PI);
    ctx.fill();
  }
  return canvas;
}

const SIZE = 7;
/** Pixels for each unit of size, as charts have. */
const SHARPNESS = 2;
const STROKE = 2.4;
/** How much of the colour is between the strokes. */
const TINTS: Readonly<Record<Texture, number>> = {
  plain: 1,
  rising: 0.2,
  dots: 0.1,
  level: 0.6,
  grid: 0,
  falling: 0.4,
  pale: 0.12,
};

/** From and to, in tiles; diagonals go on in the tiles beside. */
const LINES: Readonly<Record<Texture, readonly (readonly [number, number, number, number])[]>> = {
  plain: [],
  pale: [],
  dots: [],
  rising: [
    [-0.5, 0.5, 0.5, -0.5],
    [-0.5, 1.5, 1.5, -0.5],
    [0.5, 1.5, 1.5, 0.5],
  ],
  falling: [
    [-0.5, -0.5, 1.5, 1.5],
    [0.5, -0.5, 1.5, 0.5],
    [-0.5, 0.5, 0.5, 1.5],
  ],
  level: [[0, 0.5, 1, 0.5]],
  grid: [
    [0, 0.5, 1, 0.5],
    [0.5, 0, 0.5, 1],
  ],
};
