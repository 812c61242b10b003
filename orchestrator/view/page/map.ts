/** Sites and servers on the map: who leads, who follows whom, and the messages between them. */

import type { Opening } from "../record.ts";
import { dotsAt } from "../scene/flow.ts";
import { pairOf, type Role, type Scene } from "../scene/scene.ts";
import { draw, say, set } from "./dom.ts";
import { printMs, SIGN } from "./words.ts";

type Point = readonly [x: number, y: number];

interface ServerMark {
  readonly at: Point;
  readonly group: SVGGElement;
  readonly sign: SVGTextElement;
  readonly label: SVGTextElement;
  readonly follows: SVGPathElement;
}

const BESIDE = 46;
/** Nearer to an edge than this a name would not find room around its site. */
const EDGE = 150;
const DOTS = 90;

export class SiteMapView {
  readonly element: SVGSVGElement;
  readonly #sites = new Map<string, Point>();
  readonly #servers = new Map<number, ServerMark>();
  readonly #distances = new Map<string, SVGTextElement>();
  readonly #asked = new Map<string, number>();
  readonly #dots: SVGPathElement[] = [];
  readonly #title = draw("title");

  constructor(plan: Opening) {
    const { width, height, land, sites } = plan.map;
    this.element = draw(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, class: "map", role: "img" },
      this.#title,
      draw(
        "defs",
        {},
        draw(
          "marker",
          {
            id: "arrow",
            viewBox: "0 0 8 8",
            refX: 7,
            refY: 4,
            markerWidth: 8,
            markerHeight: 8,
            orient: "auto",
          },
          draw("path", { d: "M0 0L8 4L0 8z", class: "arrowhead" }),
        ),
      ),
      draw("rect", { width, height, class: "sea" }),
      draw("path", { d: land, class: "land" }),
    );
    for (const { name, x, y } of sites) this.#sites.set(name, [x, y]);
    this.#drawLinks(plan);
    for (const { name, x, y, load } of sites) this.#drawSite(name, [x, y], load, plan.map);
    this.#drawServers(plan);
    for (let count = 0; count < DOTS; count++) {
      const dot = draw("path", { class: "dot", visibility: "hidden" });
      this.#dots.push(dot);
      this.element.append(dot);
    }
  }

  show(scene: Scene): void {
    const told: string[] = [];
    for (const standing of scene.servers.values()) {
      const mark = this.#servers.get(standing.id);
      if (mark === undefined) continue;
      const { role, leader, epoch, name } = standing;
      set(mark.group, { class: `server ${role}` });
      say(mark.sign, SIGN[role]);
      say(mark.label, labelOf(name, role, epoch));
      told.push(`${name} ${role}`);
      const to = leader === null || leader === standing.id ? undefined : this.#servers.get(leader);
      set(mark.follows, {
        d: to === undefined || role !== "following" ? "" : between(mark.at, to.at),
        "marker-end": to === undefined || role !== "following" ? null : "url(#arrow)",
      });
    }
    say(this.#title, `Map: ${told.join(", ")}`);
    for (const [pair, text] of this.#distances) {
      this.#asked.set(pair, scene.asked.get(pair) ?? 0);
      const asked = printMs(this.#asked.get(pair) ?? 0);
      const achieved = scene.measured.get(pair);
      say(text, achieved === undefined ? asked : `${printMs(achieved)}, asked ${asked}`);
    }
  }

  /** `stretch`: a message is shown on its way for so long at least, in microseconds of the trial. */
  move(scene: Scene, at: number, stretch: number): void {
    const dots =
      stretch === 0 ? [] : dotsAt(scene, at, (from, to) => Math.max(stretch, this.#wayUs(from, to)));
    for (const [index, element] of this.#dots.entries()) {
      const dot = dots[Math.floor((index * dots.length) / Math.min(DOTS, Math.max(dots.length, 1)))];
      const [from, to] = [this.#servers.get(dot?.from ?? 0), this.#servers.get(dot?.to ?? 0)];
      const isShown = dot !== undefined && from !== undefined && to !== undefined && index < dots.length;
      set(element, { visibility: isShown ? "visible" : "hidden" });
      if (!isShown) continue;
      const x = from.at[0] + (to.at[0] - from.at[0]) * dot.way;
      const y = from.at[1] + (to.at[1] - from.at[1]) * dot.way;
      const d = SHAPES[dot.purpose] ?? SMALL;
      set(element, {
        d,
        class: `dot ${dot.purpose}`,
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      });
    }
  }

  #wayUs(from: string, to: string): number {
    return ((this.#asked.get(pairOf(from, to)) ?? 0.1) * 1e3) / 2;
  }

  #drawLinks(plan: Opening): void {
    for (const { a, b, ms } of plan.links) {
      const [from, to] = [this.#sites.get(a), this.#sites.get(b)];
      if (from === undefined || to === undefined) continue;
      const line = { x1: from[0], y1: from[1], x2: to[0], y2: to[1], class: "link" };
      const middle = { x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2 - 6, class: "distance" };
      const text = draw("text", { ...middle, "text-anchor": "middle" });
      this.element.append(draw("line", line));
      this.#asked.set(pairOf(a, b), ms);
      // The table has them all.
      if (Math.hypot(to[0] - from[0], to[1] - from[1]) < EDGE) continue;
      this.element.append(text);
      this.#distances.set(pairOf(a, b), text);
    }
  }

  #drawSite(name: string, [x, y]: Point, load: number, { width, height }: Opening["map"]): void {
    const below = y < height - 90 ? 52 : -30;
    const share = load > 0 ? `, ${Math.round(100 * load)} %` : "";
    const anchor = x < EDGE ? "start" : x > width - EDGE ? "end" : "middle";
    const at = { x: anchor === "middle" ? x : anchor === "start" ? 8 : width - 8, y: y + below };
    this.element.append(
      draw("circle", { cx: x, cy: y, r: 8 + 22 * Math.sqrt(load), class: "site" }),
      draw("text", { ...at, class: "site-name", "text-anchor": anchor }, name + share),
    );
  }

  #drawServers(plan: Opening): void {
    const arrows = draw("g");
    this.element.append(arrows);
    for (const [site, servers] of Map.groupBy(plan.servers, (server) => server.site)) {
      const [x, y] = this.#sites.get(site) ?? [0, 0];
      for (const [index, { id, name }] of servers.entries()) {
        const at: Point = [x + (index - (servers.length - 1) / 2) * BESIDE, y];
        const sign = draw("text", { class: "sign", "text-anchor": "middle", y: 7 });
        const label = draw("text", { class: "label", "text-anchor": "middle", y: 31 }, name);
        const shape = draw("path", { d: SMALL, class: "body" });
        const place = { transform: `translate(${at[0]} ${at[1]})` };
        const group = draw("g", { class: "server unknown" }, shape, sign, label);
        set(shape, { d: "M-16 0a16 16 0 1 0 32 0a16 16 0 1 0 -32 0z" });
        const follows = draw("path", { class: "follows" });
        arrows.append(follows);
        this.element.append(draw("g", place, group));
        this.#servers.set(id, { at, group, sign, label, follows });
      }
    }
  }
}

const labelOf = (name: string, role: Role, epoch: number | null): string =>
  role === "leading" && epoch !== null ? `${name} e${epoch}` : name;

/** From one glyph to the edge of another, a little bent so that it does not lie on the line of the link. */
function between([x1, y1]: Point, [x2, y2]: Point): string {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy);
  if (length < 1) return "";
  const bend = Math.min(24, length / 6);
  const [cx, cy] = [(x1 + x2) / 2 - (dy / length) * bend, (y1 + y2) / 2 + (dx / length) * bend];
  const [ex, ey] = [
    x2 - ((x2 - cx) / Math.hypot(x2 - cx, y2 - cy)) * 19,
    y2 - ((y2 - cy) / Math.hypot(x2 - cx, y2 - cy)) * 19,
  ];
  return `M${x1} ${y1}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${ex.toFixed(1)} ${ey.toFixed(1)}`;
}

const SMALL = "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z";
/** What a message is for has a shape of its own. */
const SHAPES: Readonly<Record<string, string>> = {
  heartbeat: "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z",
  election: "M0 -6L6 0L0 6L-6 0z",
  discovery: "M0 -6L6 5L-6 5z",
  pull: "M0 6L6 -5L-6 -5z",
  synchronization: "M-5 -5H5V5H-5z",
  broadcast: SMALL,
};
