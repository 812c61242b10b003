/** An election of the lectures to watch: one file, offline, made of what was recorded. */

import { readFileSync } from "node:fs";
import { type Story, summaryOf, transcript } from "../theory/story.ts";
import { html, type Markup } from "./page/markup.ts";
import { page, paragraph } from "./page/page.ts";

const PLAYER = readFileSync(new URL("page/player.js", import.meta.url), "utf8");

export function storyPage(story: Story): string {
  const { lecture } = story;
  return page(lecture.title, paragraph(lecture.intuition), [
    { title: "Step by step", content: [paragraph(summaryOf(story)), stage(story), script(story)] },
    { title: "The same to read", content: [html`<pre>${transcript(story)}</pre>`] },
  ]);
}

/** Clockwise is the direction of travel. */
const stage = ({ lecture }: Story): Markup => html`<p>
<button id="back">Step back</button> <button id="play">Play</button> <button id="next">Step</button>
<label>speed <select id="speed"><option value="0.5">slow</option><option value="1" selected>usual</option>
<option value="3">fast</option></select></label>
<input id="moment" type="range" style="width:20rem" min="0" step="0.05" value="0" aria-label="moment">
<span id="now"></span></p>
<p id="kinds"></p>
<svg id="stage" viewBox="-40 0 680 600" width="680" height="600" role="img"
  aria-label="${lecture.title}, step by step"></svg>
<ul id="happens"></ul>`;

function script({ ids, deaths, lines, flights, outcome, lecture }: Story): Markup {
  const ends = [...flights.map(({ arrives }) => arrives), ...lines.map(({ at }) => at)];
  const leaders = new Set(outcome.leaders.map(({ place, at }) => `${place} ${at}`));
  const recorded = {
    names: ids.map((id) => `p${id}`),
    dead: [...deaths],
    lines: lines.map((line) => ({ ...line, leads: leaders.has(`${line.place} ${line.at}`) })),
    flights,
    end: ends.reduce((a, b) => Math.max(a, b), 0),
    isRing: lecture.medium === "ring",
    unit: lecture.timing === "rounds" ? "end of round" : "moment",
  };
  // What is said may hold any character; none of them ends the script.
  const text = JSON.stringify(recorded).replaceAll("<", "\\u003c");
  return html`<script type="application/json" id="recorded">${{ markup: text }}</script>
<script>${{ markup: PLAYER }}</script>`;
}
