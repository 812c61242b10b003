/**
 * Maps that nobody chose, of kinds that differ in what makes leading hard: whether sites are near or far, in
 * groups or alone, and whether distances obey geometry at all. A seed is a map, with servers and load on it.
 */

import { type ServerId, serverId } from "#node/core/identity.ts";
import { Random } from "#node/core/random.ts";
import { greatCircleDelay } from "../topology/distance.ts";
import { parseTopology, type Topology } from "../topology/topology.ts";

export const KINDS = {
  metro: "sites of one region, 1 to 10 ms apart",
  continent: "sites of one continent, 5 to 80 ms apart",
  "two groups": "two groups of near sites, an ocean between them",
  world: "places anywhere on the globe, cables stretched by 1.3 to 2",
  "no geometry": "distances of 1 to 250 ms that obey nothing",
} as const;
export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];

export interface DrawnMap {
  readonly kind: Kind;
  readonly topology: Topology;
}

/** Of each kind in turn. */
export function drawMap(seed: number, servers: number): DrawnMap {
  const random = new Random(seed, MAPS_STREAM);
  const kind = KIND_NAMES[seed % KIND_NAMES.length] ?? "world";
  const names = Array.from(
    { length: random.integer(2, Math.min(5, Math.max(2, servers))) },
    (_, at) => `s${at + 1}`,
  );
  const distance = distances(kind, names.length, random);
  const at = new Map<string, ServerId[]>(names.map((name) => [name, []]));
  for (let server = 1; server <= servers; server++) at.get(random.pick(names))?.push(serverId(server));
  // Half of the maps have a site from which most of the load comes.
  const isSkewed = random.chance(0.5);
  const crowded = random.pick(names.filter((name) => (at.get(name) ?? []).length > 0));
  const sites = Object.fromEntries(
    names.map((name) => {
      const here = at.get(name) ?? [];
      const load = here.length === 0 ? 0 : isSkewed && name === crowded ? SKEWED : random.integer(1, 4);
      return [name, { servers: here.map((server) => `p${server}`), load }];
    }),
  );
  const links = names.flatMap((a, i) =>
    names.slice(i + 1).map((b, j) => ({ between: [a, b], rtt: `${distance(i, i + 1 + j).toFixed(2)}ms` })),
  );
  return {
    kind,
    topology: parseTopology(JSON.stringify({ sites, links }), `${kind.replaceAll(" ", "-")}-${seed}.yaml`),
  };
}

/** Round trips in milliseconds between the first and the second site. */
function distances(kind: Kind, sites: number, random: Random): (a: number, b: number) => number {
  const between = (low: number, high: number): number => low + random.unit() * (high - low);
  switch (kind) {
    case "metro":
      return plane(sites, 1, 10, random);
    case "continent":
      return plane(sites, 5, 80, random);
    case "two groups": {
      const ocean = between(70, 200);
      // Whoever has an even number is on this side.
      return (a, b) => ((a + b) % 2 === 0 ? between(1, 20) : ocean + between(-10, 10));
    }
    case "world": {
      const places = Array.from({ length: sites }, () => ({
        latitude: (Math.asin(between(-0.6, 0.9)) * 180) / Math.PI,
        longitude: between(-180, 180),
      }));
      return (a, b) => {
        const [one, other] = [places[a], places[b]];
        if (one === undefined || other === undefined) return Number.NaN;
        return 0.5 + (2 * greatCircleDelay(one, other, between(1.3, 2))) / 1e3;
      };
    }
    case "no geometry":
      return () => between(1, 250);
  }
}

/** Points of a square, so that the longest distance is `most` at most, and no two are nearer than `least`. */
function plane(sites: number, least: number, most: number, random: Random): (a: number, b: number) => number {
  const points = Array.from({ length: sites }, () => [random.unit(), random.unit()] as const);
  return (a, b) => {
    const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = [points[a], points[b]];
    return least + ((most - least) * Math.hypot(x1 - x2, y1 - y2)) / Math.SQRT2;
  };
}

const SKEWED = 20;
const MAPS_STREAM = 500;
