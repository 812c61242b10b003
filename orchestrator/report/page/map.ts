/**
 * The topology on a map, as a drawing in the page: where the sites are, how far apart in time, where the load
 * comes from, and who led before the fault and after it.
 */

import { geoPath } from "d3-geo";
import type { Leaders } from "../../measure/physics.ts";
import type { Topology } from "../../topology/topology.ts";
import { FAINT, INK, look, printNumber } from "../chart/style.ts";
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
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img"
 aria-label="Map of the sites">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#f4f7fa"/>
<path d="${land ?? ""}" fill="#e4e7e2" stroke="#c3c8c0" stroke-width="0.6"/>
${links(topology, on, isDrawn)}
${[...on].map(([name, at]) => drawSite(topology, name, at, leaders))}
</svg><figcaption>Round-trip times as the topology gives them. A disk's area is the site's share of the load.
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
