/** The part of the world in which the sites of a topology are, on a sheet of paper. */

import { createRequire } from "node:module";
import { geoMercator, type GeoProjection } from "d3-geo";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology as Atlas } from "topojson-specification";
import type { Topology } from "../../topology/topology.ts";

export type Point = [number, number];

interface Sheet {
  readonly width: number;
  readonly height: number;
  /** No site is nearer to the left or right edge; two thirds of it above and below. */
  readonly margin: number;
}

interface Projected {
  /** Cut off at the edges of the sheet. */
  readonly projection: GeoProjection;
  readonly on: ReadonlyMap<string, Point>;
}

/** Null when a site's place is not known. */
export function projected(topology: Topology, { width, height, margin }: Sheet): Projected | null {
  const places = placesOf(topology);
  if (places === null || places.length < 2) return null;
  const projection = geoMercator();
  const [middle, spread] = frame(places.map(({ at }) => at));
  const beside = (2 * margin) / 3;
  projection.fitExtent(
    [
      [margin, beside],
      [width - margin, height - beside],
    ],
    { type: "MultiPoint", coordinates: spread },
  );
  projection.center(middle);
  projection.translate([width / 2, height / 2]);
  const on = new Map(places.map(({ name, at }): [string, Point] => [name, projection([...at]) ?? NOWHERE]));
  projection.clipExtent([
    [0, 0],
    [width, height],
  ]);
  return { projection, on };
}

export function coast() {
  const atlas = createRequire(import.meta.url)("world-atlas/countries-50m.json") as Atlas<{
    countries: GeometryCollection;
  }>;
  return feature(atlas, atlas.objects.countries);
}

export const NOWHERE: Point = [0, 0];

interface Pin {
  readonly name: string;
  readonly at: Point;
}

function placesOf(topology: Topology): readonly Pin[] | null {
  const places: Pin[] = [];
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
