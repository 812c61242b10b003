/** The page: one trial, as it runs or as it ran, or two futures of one side by side. */

import type { Opening, StreamRecord } from "../record.ts";
import { guideOf } from "../scene/guide.ts";
import { Controls } from "./controls.ts";
import { make, say } from "./dom.ts";
import { LiveFeed, recorded } from "./feed.ts";
import { Hands } from "./hands.ts";
import { Panel } from "./panel.ts";
import { Player } from "./player.ts";
import { Tour } from "./tour.ts";

/** A message takes so long on the screen at least. */
const SEEN_US = 400_000;
const REPAINT_MS = 1000;

const held = recorded();
const status = make("p", { class: "faint", role: "status" });
const place = make("main", { class: held !== null && held.length > 1 ? "futures" : "" });
const player = new Player(held === null, () => settle());
const controls = new Controls(player, held === null);
const tour = new Tour((at) => player.seek(at));
const seek = (at: number): void => player.seek(at);
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
let panels: Panel[] = [];
let told: StreamRecord[] = [];
let repaintedAt = 0;

function opened(plan: Opening, name: string): Panel {
  const panel = new Panel(plan, name, seek);
  panels.push(panel);
  place.append(panel.element);
  controls.strips.append(panel.strip.element);
  return panel;
}

function cleared(): void {
  panels = [];
  told = [];
  place.replaceChildren();
  controls.strips.replaceChildren();
}

function repaint(): void {
  const spans = panels.map((panel) => panel.repaint());
  const stops = [...new Set(spans.flatMap((span) => span.stops))].sort((a, b) => a - b);
  player.spread(
    Math.min(0, ...spans.map(({ from }) => from)),
    Math.max(0, ...spans.map(({ to }) => to)),
    stops,
  );
  tour.steps = guideOf(told);
}

function settle(): void {
  for (const panel of panels) panel.settle(player.at);
  controls.show(player);
}

function frame(before: number): (now: number) => void {
  return (now) => {
    player.pass(Math.min(200, now - before) * 1e3);
    if (player.isLive && now - repaintedAt > REPAINT_MS) {
      repaintedAt = now;
      repaint();
    }
    const isMoving = player.isPlaying || player.isLive;
    const stretch = stillness.matches ? 0 : SEEN_US * (isMoving ? Math.min(1, player.speed) : 0.03);
    for (const panel of panels) panel.show(player.at, now, stretch);
    controls.show(player);
    requestAnimationFrame(frame(now));
  };
}

/** With a plan another trial begins. */
function take(records: readonly StreamRecord[]): void {
  const fresh = records.slice(
    Math.max(
      0,
      records.findLastIndex(({ kind }) => kind === "plan"),
    ),
  );
  const [plan] = fresh;
  if (plan?.kind === "plan") {
    cleared();
    opened(plan, "Live");
    hands.open(plan);
  }
  told.push(...fresh);
  panels[0]?.add(fresh);
  const phase = fresh.findLast(({ kind }) => kind === "phase");
  if (phase?.kind === "phase") say(status, phase.name);
  if (fresh.at(-1)?.kind === "end") repaint();
}

const hands = new Hands((fault) => live?.ask(fault));
document.body.append(
  make("header", { class: "page" }, make("h1", {}, "polebench"), status, tour.element),
  controls.element,
  hands.element,
  place,
);
const live =
  held === null ? new LiveFeed({ records: take, says: (text) => say(status, text), again: cleared }) : null;
for (const { name, records } of held ?? []) {
  const [plan] = records;
  if (plan?.kind !== "plan") continue;
  opened(plan, name).add(records);
  if (told.length === 0) told = [...records];
}
repaint();
if (held !== null) player.seek(player.from < 0 ? 0 : player.from);
requestAnimationFrame(frame(performance.now()));
