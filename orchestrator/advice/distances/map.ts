/**
 * From what was measured to a map: each pair of sites has one round trip, and whatever had to be decided for
 * that is said. Of several measurements the median counts; of two directions that differ, each being a round
 * trip of the same way, the mean. Pairs that nobody measured are refused, or estimated by a rule with a name.
 */

import { median } from "../../statistics/summary.ts";
import { RefusedInput } from "../../terminal/problem.ts";
import { siteName } from "../../topology/csv.ts";
import { greatCircleDelay, type Coordinates } from "../../topology/distance.ts";
import { parseTopology, type Topology } from "../../topology/topology.ts";
import { LONGEST_MS } from "../question.ts";
import { distinct, type Distances, type MeasuredTrip } from "./measured.ts";

export const ESTIMATES = {
  refuse: "pairs that nobody measured are refused",
  detour: "the shortest way over other sites",
  "great-circle": "the way on the globe, stretched as much as the measured pairs are in the middle",
} as const;
export type EstimateRule = keyof typeof ESTIMATES;

export interface FileOfDistances {
  readonly file: string;
  readonly found: Distances;
}

export interface MapOptions {
  readonly estimate: EstimateRule;
  /** By the site's name. */
  readonly places: ReadonlyMap<string, Coordinates>;
  /** Did somebody say what bare numbers mean? */
  readonly unitIsSaid: boolean;
}

export interface ReadMap {
  readonly topology: Topology;
  /** What was decided on the way, a sentence each. */
  readonly notes: readonly string[];
}

/** Throws a RefusedInput with a sentence for each thing that is wrong. */
export function mapOf(readings: readonly FileOfDistances[], options: MapOptions): ReadMap {
  const wrong: string[] = [];
  const notes: string[] = [];
  const file = readings.map((reading) => reading.file).join(", ");
  const names = namesOf(readings, wrong);
  if (names.length < 2)
    wrong.push(`${file}: distances are between two sites at least, here is ${names.length}`);
  if (names.length > MOST_SITES)
    throw new RefusedInput(`${file}: ${names.length} sites are given, ${MOST_SITES} are the most`);
  for (const reading of readings) wrong.push(...absurd(reading));
  if (wrong.length === 0 && !options.unitIsSaid) wrong.push(...wrongUnit(readings, file));
  if (wrong.length > 0) throw new RefusedInput(wrong.join("\n"));
  const trips = tripsOf(
    readings.flatMap(({ found }) => found.measured),
    notes,
  );
  const places = placesOf(options.places, names);
  wrong.push(...fasterThanLight(trips, names, places));
  const missing = pairsOf(names).filter(([a, b]) => !trips.has(keyOf(a, b)));
  const estimated = new Map<string, string>();
  if (missing.length > 0) {
    const filled = fill(missing, trips, places, options.estimate);
    if (typeof filled === "string") wrong.push(`${file}: ${filled}`);
    else
      for (const [pair, ms] of filled) {
        trips.set(pair, ms);
        estimated.set(pair, `estimated: ${options.estimate}`);
      }
    if (estimated.size > 0)
      notes.push(
        `not measured, so by ${options.estimate}, ${ESTIMATES[options.estimate]}: ${some(missing.map(said))}`,
      );
  }
  if (wrong.length > 0) throw new RefusedInput(wrong.join("\n"));
  notes.push(...detours(trips, names));
  return { topology: topologyOf(names, places, trips, estimated, file), notes };
}

const MOST_SITES = 250;
type Pair = readonly [a: string, b: string];

const pairsOf = (names: readonly string[]): readonly Pair[] =>
  names.flatMap((a, index) => names.slice(index + 1).map((b): Pair => [a, b]));
/** The same for both directions. */
const keyOf = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`);

function namesOf(readings: readonly FileOfDistances[], wrong: string[]): readonly string[] {
  const given = distinct(readings.flatMap(({ found }) => found.names));
  const meant = Map.groupBy(given, siteName);
  for (const [name, of] of meant) {
    if (of.length > 1)
      wrong.push(
        `${of.map((one) => `"${one}"`).join(" and ")} are both called ${name} here; one site, one name`,
      );
    else if (!/^[a-z][a-z0-9-]{0,30}$/.test(name))
      wrong.push(`"${of[0]}" is no name for a site: up to 31 letters, digits and hyphens`);
  }
  return [...meant.keys()];
}

function absurd({ file, found }: FileOfDistances): readonly string[] {
  return found.measured.flatMap(({ from, to, rttMs, line }) => {
    const where = `${file}:${line}: ${from} to ${to}: ${tidy(rttMs)} ms`;
    if (rttMs < 0) return [`${where}: a way back in time`];
    if (rttMs === 0)
      return [`${where}: nothing is that near; leave the cell empty where nothing was measured`];
    if (rttMs > LONGEST_MS)
      return [
        `${where} is longer than any way on Earth (${LONGEST_MS} ms); is it in microseconds? say --unit us`,
      ];
    return [];
  });
}

/** A matrix in seconds looks like a rack. */
function wrongUnit(readings: readonly FileOfDistances[], file: string): readonly string[] {
  const most = Math.max(...readings.flatMap(({ found }) => found.measured.map(({ rttMs }) => rttMs)));
  return most < LEAST_OF_MAPS_MS
    ? [`${file}: the longest way takes ${tidy(most)} ms; if these are seconds say --unit s, if not --unit ms`]
    : [];
}

const LEAST_OF_MAPS_MS = 1;

function tripsOf(measured: readonly MeasuredTrip[], notes: string[]): Map<string, number> {
  const ways = Map.groupBy(
    measured.map((one) => ({ ...one, from: siteName(one.from), to: siteName(one.to) })),
    ({ from, to }) => `${from} ${to}`,
  );
  const trips = new Map<string, number>();
  const unequal: string[] = [];
  const several = [...ways].flatMap(([way, of]) =>
    of.length > 1 ? [`${way.replace(" ", "-")} (${of.length})`] : [],
  );
  if (several.length > 0) notes.push(`measured more than once, so that the median counts: ${some(several)}`);
  const medians = new Map([...ways].map(([way, of]) => [way, median(of.map(({ rttMs }) => rttMs))]));
  for (const [way, there] of medians) {
    const [a = "", b = ""] = way.split(" ");
    const back = medians.get(`${b} ${a}`) ?? there;
    if (a < b && Math.abs(there - back) > Math.max(UNEQUAL_MS, UNEQUAL * Math.min(there, back)))
      unequal.push(`${a}-${b} ${tidy(there)} and ${tidy(back)} ms`);
    trips.set(keyOf(a, b), (there + back) / 2);
  }
  if (unequal.length > 0)
    notes.push(`not the same from both ends, so that the mean counts: ${some(unequal)}`);
  return trips;
}

/** What no clock and no detour of a packet explains. */
const UNEQUAL = 0.1;
const UNEQUAL_MS = 0.5;

function placesOf(
  given: ReadonlyMap<string, Coordinates>,
  names: readonly string[],
): ReadonlyMap<string, Coordinates> {
  return new Map(
    names.flatMap((name) => {
      const place = given.get(name);
      return place === undefined ? [] : [[name, place] as const];
    }),
  );
}

function fasterThanLight(
  trips: ReadonlyMap<string, number>,
  names: readonly string[],
  places: ReadonlyMap<string, Coordinates>,
): readonly string[] {
  return pairsOf(names).flatMap(([a, b]) => {
    const [at, to, ms] = [places.get(a), places.get(b), trips.get(keyOf(a, b))];
    if (at === undefined || to === undefined || ms === undefined) return [];
    const least = lightMs(at, to);
    return ms < least - 0.5
      ? [
          `${a} to ${b}: ${tidy(ms)} ms is faster than light in a fibre (${tidy(least)} ms): ` +
            "a wrong place, or a wrong unit",
        ]
      : [];
  });
}

/** There and back. */
const lightMs = (a: Coordinates, b: Coordinates): number => (2 * greatCircleDelay(a, b, 1)) / 1e3;

/** Or why not. */
function fill(
  missing: readonly Pair[],
  trips: ReadonlyMap<string, number>,
  places: ReadonlyMap<string, Coordinates>,
  by: EstimateRule,
): ReadonlyMap<string, number> | string {
  switch (by) {
    case "refuse":
      return (
        `no round-trip time between ${some(missing.map(said))}; ` +
        "measure them, or say --estimate detour or great-circle"
      );
    case "detour": {
      const ways = shortest(trips);
      const apart = missing.filter(([a, b]) => !Number.isFinite(ways(a, b)));
      if (apart.length > 0)
        return `no way over measured pairs leads from one to the other: ${some(apart.map(said))}`;
      return new Map(missing.map(([a, b]) => [keyOf(a, b), ways(a, b)]));
    }
    case "great-circle": {
      const nowhere = distinct(missing.flat()).filter((name) => !places.has(name));
      if (nowhere.length > 0)
        return `nobody says where ${nowhere.join(", ")} are; --places is a list of site,latitude,longitude`;
      const stretches = [...trips].flatMap(([pair, ms]) => {
        const [a, b] = pair.split(" ").map((name) => places.get(name));
        return a === undefined || b === undefined || lightMs(a, b) < 1 ? [] : [ms / lightMs(a, b)];
      });
      if (stretches.length === 0)
        return "no pair was measured whose places are known, so nothing tells how far cables stretch a way";
      const stretch = median(stretches);
      return new Map(
        missing.map(([a, b]) => {
          const [at, to] = [places.get(a), places.get(b)];
          return [
            keyOf(a, b),
            at === undefined || to === undefined ? Number.NaN : Math.max(LEAST_MS, stretch * lightMs(at, to)),
          ];
        }),
      );
    }
  }
}

/** Of two places in one town. */
const LEAST_MS = 0.1;

/** Floyd's: the shortest way between any two, over any others. */
function shortest(trips: ReadonlyMap<string, number>): (a: string, b: string) => number {
  const names = distinct([...trips.keys()].flatMap((pair) => pair.split(" ")));
  const ways = new Map(trips);
  const way = (a: string, b: string): number =>
    a === b ? 0 : (ways.get(keyOf(a, b)) ?? Number.POSITIVE_INFINITY);
  for (const over of names)
    for (const [a, b] of pairsOf(names)) {
      const around = way(a, over) + way(over, b);
      if (around < way(a, b)) ways.set(keyOf(a, b), around);
    }
  return way;
}

/** Pairs that would be nearer over a third site: real routes are like that, and so are mistakes. */
function detours(trips: ReadonlyMap<string, number>, names: readonly string[]): readonly string[] {
  const way = (a: string, b: string): number => trips.get(keyOf(a, b)) ?? Number.POSITIVE_INFINITY;
  const found = pairsOf(names).flatMap(([a, b]) => {
    const [over, ms] = names
      .filter((name) => name !== a && name !== b)
      .map((name): readonly [string, number] => [name, way(a, name) + way(name, b)])
      .reduce((least, one) => (one[1] < least[1] ? one : least), ["", Number.POSITIVE_INFINITY] as readonly [
        string,
        number,
      ]);
    return ms < way(a, b) / MUCH_NEARER ? [`${a}-${b} ${tidy(way(a, b))} ms, over ${over} ${tidy(ms)}`] : [];
  });
  return found.length === 0
    ? []
    : [`much nearer over a third site, which may be so or may be a mistake: ${some(found, 3)}`];
}

const MUCH_NEARER = 1.5;

function topologyOf(
  names: readonly string[],
  places: ReadonlyMap<string, Coordinates>,
  trips: ReadonlyMap<string, number>,
  estimated: ReadonlyMap<string, string>,
  file: string,
): Topology {
  const sites = Object.fromEntries(names.map((name) => [name, places.get(name) ?? null]));
  const links = pairsOf(names).map(([a, b]) => ({
    between: [a, b],
    rtt: `${Number((trips.get(keyOf(a, b)) ?? 0).toFixed(3))}ms`,
    source: estimated.get(keyOf(a, b)) ?? file,
  }));
  return parseTopology(JSON.stringify({ description: `distances of ${file}`, sites, links }), "advice.yaml");
}

const said = ([a, b]: Pair): string => `${a}-${b}`;

/** The first of them, and how many more there are. */
function some(all: readonly string[], most = 5): string {
  const first = all.slice(0, most).join(", ");
  return all.length > most ? `${first}, and ${all.length - most} more` : first;
}

const tidy = (ms: number): string => String(Number(ms.toPrecision(4)));
