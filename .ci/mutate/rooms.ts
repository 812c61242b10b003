// What a room is, and which quick tests are asked about a file in it: the room's own, the nearest first; and
// where none of them comes to the file, those elsewhere that are nearest.
import { globSync, readFileSync } from "node:fs";
import { basename, posix } from "node:path";
import { needOf } from "../lane.ts";
import { imports, isTest, source } from "../tidy/source.ts";

/** A test that takes longer than this is no quick one. */
const quickSeconds = 20;
const strangers = 6;
const isMade = (path: string): boolean => !path.includes("node_modules");
const sources = globSync(["node/**/*.ts", "orchestrator/**/*.ts"]).filter(isMade).toSorted();
const texts = new Map(sources.map((path) => [path, readFileSync(path, "utf8")]));
export const textOf = (path: string): string => texts.get(path) ?? "";
const importersOf = Map.groupBy(
  sources.flatMap((from) => targets(from).map((to) => ({ from, to }))),
  ({ to }) => to,
);

const shipped = sources.filter(
  (path) => !isTest(path) && !path.endsWith(".suite.ts") && !/\/test(?:ing|data)\//.test(path),
);

/** The folder or file of this name, which may leave out what is before it. */
export function roomOf(name: string): string | undefined {
  const places = new Set(shipped.flatMap((path) => [path, ...folders(path)]));
  const meant = [...places].filter((place) => place === name || place.endsWith(`/${name}`));
  const depth = (place: string): number => place.split("/").length;
  return meant.toSorted((one, other) => depth(one) - depth(other))[0];
}

/** What of it ships. */
export const filesOf = (room: string): string[] =>
  shipped.filter((path) => path === room || path.startsWith(`${room}/`));

export function testsOf(file: string, room: string): string[] {
  const distances = distancesTo(file);
  const far = (test: string): number =>
    (distances.get(test) ?? Infinity) - (basename(test, ".test.ts") === basename(file, ".ts") ? 100 : 0);
  const tests = [...distances.keys()].filter(isQuick).toSorted((one, other) => far(one) - far(other));
  const own = tests.filter((test) => test.startsWith(`${room}/`));
  return own.length > 0 ? own : tests.slice(0, strangers);
}

function isQuick(path: string): boolean {
  if (!isTest(path) || path.endsWith(".system.test.ts")) return false;
  const { lane, seconds, fixture } = needOf(path, textOf(path));
  return lane !== "alone" && seconds <= quickSeconds && fixture === undefined;
}

function distancesTo(file: string): Map<string, number> {
  const distances = new Map([[file, 0]]);
  for (const [at, distance] of distances) {
    for (const { from } of importersOf.get(at) ?? [])
      if (!distances.has(from)) distances.set(from, distance + 1);
  }
  return distances;
}

function targets(path: string): string[] {
  return imports(source(path, textOf(path))).flatMap(({ specifier }) => {
    if (specifier.startsWith("#")) return [specifier.slice(1)];
    return specifier.startsWith(".") ? [posix.join(posix.dirname(path), specifier)] : [];
  });
}

function folders(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
