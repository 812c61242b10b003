/**
 * The topology on a map, as a drawing in the page: where the sites are, how far apart in time, where the load
 * comes from, and who led before the fault and after it.
 */

import { createRequire } from "node:module";
import { geoMercator, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology as Atlas } from "topojson-specification";
import type { Leaders } from "../../measure/physics.ts";
import type { Topology } from "../../topology/topology.ts";
import { FAINT, INK, look, printNumber } from "../chart/style.ts";
import { html, type Markup } from "./markup.ts";

/** Null when a site's place is not known. Only the links asked for are drawn, or all. */
export function siteMap(
  topology: Topology,
  leaders: Leaders,
  isDrawn: (from: string, to: string) => boolean = () => true,
): Markup | null {
  const places = placesOf(topology);
  if (places === null || places.length < 2) return null;
  const projection = geoMercator();
  const [middle, spread] = frame(places.map(({ at }) => at));
  projection.fitExtent(
    [
      [90, 60],
      [WIDTH - 90, HEIGHT - 60],
    ],
    { type: "MultiPoint", coordinates: spread },
  );
  projection.center(middle);
  projection.translate([WIDTH / 2, HEIGHT / 2]);
  const land = geoPath(
    projection.clipExtent([
      [0, 0],
      [WIDTH, HEIGHT],
    ]),
  )(coast());
  const on = new Map(places.map(({ name, at }): [string, Point] => [name, projection([...at]) ?? NOWHERE]));
  return html`<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img"
 aria-label="Map of the sites">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#f4f7fa"/>
<path d="${land ?? ""}" fill="#e4e7e2" stroke="#c3c8c0" stroke-width="0.6"/>
${links(topology, on, isDrawn)}
${places.map(({ name }) => drawSite(topology, name, on.get(name) ?? NOWHERE, leaders))}
</svg><figcaption>Round-trip times as the topology gives them. A disk's area is the site's share of the load.
${legend(leaders)}</figcaption></figure>`;
}

type Point = [number, number];

const NOWHERE: Point = [0, 0];

interface Place {
  readonly name: string;
  readonly at: Point;
}

function placesOf(topology: Topology): readonly Place[] | null {
  const places: Place[] = [];
  for (const { name, latitude, longitude } of topology.sites.values()) {
    if (latitude === null || longitude === null) return null;
    places.push({ name, at: [longitude, latitude] });
  }
  return places;
}

/**
 * The middle of all sites, and points that hold them with some land around: a map of one town shows nothing.
 */
function frame(at: readonly Point[]): [[number, number], [number, number][]] {
  const [longitudes, latitudes] = [at.map(([x]) => x), at.map(([, y]) => y)];
  const middle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
  const reach = (values: readonly number[], least: number): number =>
    Math.max(least, (Math.max(...values) - Math.min(...values)) / 2);
  const [x, y] = [middle(longitudes), middle(latitudes)];
  const [dx, dy] = [reach(longitudes, 8), reach(latitudes, 4)];
  return [
    [x, y],
    [
      [x - dx, Math.max(-75, y - dy)],
      [x + dx, Math.min(80, y + dy)],
    ],
  ];
}

function coast() {
  const atlas = createRequire(import.meta.url)("world-atlas/countries-50m.json") as Atlas<{
    countries: GeometryCollection;
  }>;
  return feature(atlas, atlas.objects.countries);
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
