/** One HTML file that needs nothing but itself: styles, pictures and tables are inside. */

import { type Figure, HEIGHT, WIDTH } from "../chart/figure.ts";
import { html, type Markup, table } from "./markup.ts";

export interface DrawnFigure {
  readonly figure: Figure;
  readonly png: Buffer;
}

export interface Section {
  readonly title: string;
  readonly content: readonly Markup[];
}

/** How what is shown was made, by name. */
export const making = (facts: Readonly<Record<string, string>>): Section => ({
  title: "How it was made",
  content: [table(["", ""], Object.entries(facts), "text")],
});

export function page(title: string, lead: Markup, sections: readonly Section[]): string {
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: STYLE }}</style></head>
<body><header><h1>${title}</h1>${lead}</header>
${sections.map((section) => html`<section><h2>${section.title}</h2>${section.content}</section>\n`)}
</body></html>
`;
  return markup;
}

/** The picture, and under it the numbers that it was drawn from. */
export function pictured({ figure, png }: DrawnFigure): Markup {
  const { name, title, caption, table: numbers, width, height } = figure;
  const source = `data:image/png;base64,${png.toString("base64")}`;
  const cells = numbers.rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? tidy(cell) : (cell ?? ""))),
  );
  const size = html`width="${width ?? WIDTH}" height="${height ?? HEIGHT}"`;
  return html`<figure><img src="${source}" ${size} alt="${title}. ${caption}">
<details><summary>The numbers, also in ${name}.csv; the picture is ${name}.png</summary>
${table(numbers.columns, cells)}</details></figure>`;
}

export const paragraph = (text: string): Markup => html`<p>${text}</p>`;

export const badge = (judgement: "valid" | "unknown" | "invalid"): Markup =>
  html`<strong class="badge ${judgement}">${judgement}</strong>`;

/** Of a threshold, which fails the run. */
export const isPassed = (passed: boolean): Markup =>
  passed
    ? html`<strong class="badge valid">passed</strong>`
    : html`<strong class="badge invalid">missed</strong>`;

/** Of what is expected: it may differ, and nothing is wrong. */
export const isMet = (met: boolean): Markup =>
  met ? html`<strong class="badge valid">met</strong>` : html`<strong class="badge unknown">differs</strong>`;

const tidy = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(5));

const STYLE = `
:root { color: #1f2328; background: #fff; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid #d0d7de; padding-bottom: .3rem; }
header p { margin: .3rem 0; max-width: 75ch; } p { max-width: 75ch; }
figure { margin: 1.2rem 0; } img, svg { max-width: 100%; height: auto; display: block; }
figcaption, summary, .faint { color: #57606a; font-size: .88rem; }
details { margin: .2rem 0 1rem; } summary { cursor: pointer; }
.scroll { overflow-x: auto; max-height: 30rem; }
table { border-collapse: collapse; font-size: .88rem; margin: .6rem 0; }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid #eaeef2; }
td { white-space: nowrap; }
th { font-weight: 600; position: sticky; top: 0; background: #fff; }
th:first-child, td:first-child { text-align: left; }
table.text td, table.text th { text-align: left; white-space: normal; vertical-align: top; }
.badge { padding: .05rem .5rem; border-radius: 3px; border: 2px solid; }
.valid { color: #0a5c36; } .invalid { color: #b3001b; } .unknown { color: #7a4d00; }
.onmap { font: 12px system-ui, sans-serif; fill: #1f2328; }
.onmap { paint-order: stroke; stroke: #fff; stroke-width: 3px; }
.name { font-weight: 600; font-size: 14px; }
pre { background: #f6f8fa; padding: .7rem; overflow-x: auto; font-size: .82rem; }
@media print { details > * { display: none; } section { break-inside: avoid; } }
`;
