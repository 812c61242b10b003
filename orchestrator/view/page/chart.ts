/**
 * A chart over the trial's time: a line for each site, the outage as a band, limits and physics as lines of
 * their own, and a cursor at the moment that is shown.
 */

import type { Span } from "../scene/spans.ts";
import { draw, make, set } from "./dom.ts";

export interface Line {
  readonly name: string;
  /** Null where there is nothing: the line has a gap. */
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

export interface Level {
  readonly text: string;
  readonly value: number;
}

export interface ChartData {
  readonly span: Span;
  readonly lines: readonly Line[];
  readonly levels: readonly Level[];
  readonly bands: readonly Span[];
}

const WIDTH = 640;
const HEIGHT = 170;
const LEFT = 44;
const BOTTOM = HEIGHT - 20;
const TOP = 8;
/** So many lines look different. */
const LOOKS = 6;

export class Chart {
  readonly element: HTMLElement;
  readonly #svg: SVGSVGElement;
  readonly #plot = draw("g");
  readonly #cursor = draw("line", { class: "cursor", y1: TOP, y2: BOTTOM });
  readonly #legend = make("p", { class: "legend" });
  #span: Span = { from: 0, to: 1 };
  #names = "";

  /** `seek`: the moment that was pointed at. */
  constructor(title: string, seek: (at: number) => void) {
    const seen = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": title };
    this.#svg = draw("svg", seen, this.#plot, this.#cursor);
    this.#svg.addEventListener("click", ({ clientX }) => {
      const { left, width } = this.#svg.getBoundingClientRect();
      const share = (((clientX - left) / width) * WIDTH - LEFT) / (WIDTH - LEFT);
      const { from, to } = this.#span;
      seek(from + Math.min(1, Math.max(0, share)) * (to - from));
    });
    this.element = make("figure", {}, make("figcaption", {}, title), this.#svg, this.#legend);
  }

  show(data: ChartData): void {
    this.#span = data.span;
    const top = topOf(data);
    const y = (value: number): number => TOP + (BOTTOM - TOP) * (1 - Math.min(1, value / top));
    const across = (value: number, look: string): SVGLineElement =>
      draw("line", { x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value), class: look });
    const grid = [0, top / 2, top].flatMap((value) => [
      across(value, "grid"),
      draw("text", { x: LEFT - 5, y: y(value) + 4, "text-anchor": "end" }, value),
    ]);
    const seconds = ticksOf(data.span).map((at) =>
      draw("text", { x: this.#x(at), y: HEIGHT - 5, "text-anchor": "middle" }, `${at / 1e6} s`),
    );
    const bands = data.bands.map(({ from, to }) => {
      const [x, width] = [this.#x(from), Math.max(1.5, this.#x(to) - this.#x(from))];
      return draw("rect", { x, y: TOP, width, height: BOTTOM - TOP, class: "band" });
    });
    const levels = data.levels.flatMap(({ text, value }) => [
      across(value, "level"),
      draw("text", { x: WIDTH - 4, y: y(value) - 3, "text-anchor": "end" }, text),
    ]);
    const lines = data.lines.map(({ points }, index) =>
      draw("path", { class: look(index), d: pathOf(points, (at) => this.#x(at), y) }),
    );
    this.#plot.replaceChildren(...bands, ...grid, ...lines, ...levels, ...seconds);
    this.#tellNames(data.lines.map(({ name }) => name));
  }

  at(at: number): void {
    const { from, to } = this.#span;
    const x = this.#x(Math.min(to, Math.max(from, at))).toFixed(1);
    set(this.#cursor, { x1: x, x2: x });
  }

  #x(at: number): number {
    const { from, to } = this.#span;
    return LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT);
  }

  #tellNames(names: readonly string[]): void {
    if (this.#names === names.join()) return;
    this.#names = names.join();
    const keys = names.map((name, index) => {
      const stroke = draw("path", { d: "M0 4H28", class: look(index) });
      return make("span", {}, draw("svg", { viewBox: "0 0 28 8", class: "key" }, stroke), ` ${name}`);
    });
    this.#legend.replaceChildren(...keys);
  }
}

const look = (index: number): string => `line line-${index % LOOKS}`;

/** One value in two hundred may be cut off, so that an outage leaves the rest to be seen. */
function topOf({ lines, levels }: ChartData): number {
  const values = lines.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
  const usual = values.sort((a, b) => a - b)[Math.floor((values.length - 1) * 0.995)] ?? 1;
  return roundedUp(Math.max(1, usual, ...levels.map(({ value }) => value)));
}

function pathOf(points: Line["points"], x: (at: number) => number, y: (value: number) => number): string {
  let path = "";
  let isOpen = false;
  for (const [at, value] of points) {
    if (value !== null) path += `${isOpen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    isOpen = value !== null;
  }
  return path;
}

/** 1, 2 or 5 of some power of ten. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

function ticksOf({ from, to }: Span): readonly number[] {
  const step = Math.max(1e6, roundedUp((to - from) / 8));
  const ticks: number[] = [];
  for (let at = Math.ceil(Math.max(0, from) / step) * step; at < to; at += step) ticks.push(at);
  return ticks;
}
