/**
 * The topology on a map, as a drawing in the page: where the sites are, how far apart in time, where the load
 * comes from, and who led before the fault and after it.
 */

import { geoPath } from "d3-geo";
import type { Leaders } from "../../measure/physics.ts";
import type { Topology } from "../../topology/topology.ts";
import { FAINT, INK, look, printNumber } from "../chart/style.ts";
import { unfolded } from "./unfolded.ts";
import { html, type Markup } from "./markup.ts";
import { coast, NOWHERE, type Point, projected } from "./projection.ts";

/** Null when a site's place is not known. Only the links asked for are drawn, or all. */
export function siteMap(
  topology: Topology,
  leaders: Leaders,
  isDrawn: (from: string, to: string) => boolean = () => true,
): Markup | null {
  const found = projected(topology, { width: WIDTH, height: HEIGHT, margin: 90 });
  if (found === null) return null;
  const { projection, on } = found;
  const land = geoPath(projection)(coast());
  const background = html`<path d="${land ?? ""}" fill="#e4e7e2" stroke="#c3c8c0" stroke-width="0.6"/>`;
  return drawn({ topology, leaders, isDrawn, on, background, about: "" });
}

/** Where nobody knows a site's place: as far apart on paper as they are in time, as well as paper can. */
export function distanceMap(
  topology: Topology,
  leaders: Leaders,
  isDrawn: (from: string, to: string) => boolean = () => true,
): Markup {
  const at = unfolded(
    [...topology.sites.keys()],
    (a, b) => topology.link(a, b).delay + topology.link(b, a).delay,
  );
  const [xs, ys] = [[...at.values()].map(([x]) => x), [...at.values()].map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const scale = Math.min(
    (WIDTH - 240) / Math.max(1e-9, Math.max(...xs) - left),
    (HEIGHT - 90) / Math.max(1e-9, Math.max(...ys) - top),
  );
  const middle = (WIDTH - scale * (Math.max(...xs) - left)) / 2;
  const place = ([x, y]: Point): Point => [middle + scale * (x - left), 45 + scale * (y - top)];
  const on = new Map([...at].map(([name, point]): [string, Point] => [name, place(point)]));
  const about = "Nobody said where sites are: so they are as far apart as in time, as well as paper can. ";
  return drawn({ topology, leaders, isDrawn, on, background: html``, about });
}

interface Drawing {
  readonly topology: Topology;
  readonly leaders: Leaders;
  readonly isDrawn: (from: string, to: string) => boolean;
  readonly on: ReadonlyMap<string, Point>;
  readonly background: Markup;
  readonly about: string;
}

function drawn({ topology, leaders, isDrawn, on, background, about }: Drawing): Markup {
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img"
 aria-label="Map of the sites">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#f4f7fa"/>
${background}
${links(topology, on, isDrawn)}
${[...on].map(([name, at]) => drawSite(topology, name, at, leaders))}
</svg><figcaption>
${about}Round-trip times as the topology gives them. A disk's area is the site's share of the load.
${legend(leaders)}</figcaption></figure>`;
}

function links(
  topology: Topology,
  on: ReadonlyMap<string, Point>,
  isDrawn: (from: string, to: string) => boolean,
): Markup[] {
  const names = [...on.keys()];
  return names.flatMap((from, index) =>
    names.slice(index + 1).flatMap((to) => {
      if (!isDrawn(from, to)) return [];
      const [[x1, y1], [x2, y2]] = [on.get(from) ?? NOWHERE, on.get(to) ?? NOWHERE];
      const rtt = (topology.link(from, to).delay + topology.link(to, from).delay) / 1e3;
      const ends = html`x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
      const middle = html`x="${round((x1 + x2) / 2)}" y="${round((y1 + y2) / 2 - 6)}"`;
      return html`<line ${ends} stroke="${FAINT}" stroke-width="1.2"/>
<text ${middle} class="onmap" text-anchor="middle">${printNumber(rtt)} ms</text>`;
    }),
  );
}

function drawSite(
  topology: Topology,
  name: string,
  [x, y]: [number, number],
  { before, after }: Leaders,
): Markup {
  const found = topology.sites.get(name);
  const servers = (found?.servers ?? []).map((server) => {
    const led = [
      ...(server === before ? [" led before"] : []),
      ...(server === after ? [" leads after"] : []),
    ];
    return `p${server}${led.join(",")}`;
  });
  const isHere = (leader: number | null): boolean =>
    found?.servers.some((server) => server === leader) === true;
  const radius = 5 + 18 * Math.sqrt(found?.load ?? 0);
  const anchor = x > WIDTH - 170 ? "end" : "start";
  const beside = anchor === "start" ? x + radius + 8 : x - radius - 8;
  const disk = html`cx="${round(x)}" cy="${round(y)}" r="${round(radius)}"`;
  return html`<circle ${disk} fill="${look(0).colour}" fill-opacity="0.55" stroke="${INK}"/>
${isHere(before) ? ring(x, y, radius + 4, "4 3") : ""}${isHere(after) ? ring(x, y, radius + 7, "") : ""}
<text x="${round(beside)}" y="${round(y - 2)}" class="onmap name" text-anchor="${anchor}">${name}</text>
<text x="${round(beside)}" y="${round(y + 13)}" class="onmap" text-anchor="${anchor}">
${servers.join("; ")}</text>`;
}

const ring = (x: number, y: number, radius: number, dash: string): Markup =>
  html`<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="none"
 stroke="${look(1).colour}" stroke-width="2.5" stroke-dasharray="${dash}"/>`;

function legend({ before, after }: Leaders): string {
  if (before === null) return "";
  return `Rings: dashed around who led before the fault${after === null ? "" : ", solid after it"}.`;
}

const round = (value: number): string => value.toFixed(1);

const WIDTH = 940;
const HEIGHT = 400;
