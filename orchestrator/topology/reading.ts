/**
 * From the text of a topology file to its meaning, in three passes: YAML, the schema, and what no schema
 * can say (a pair given twice, a site that nothing links). Every pass keeps the positions, so that each
 * problem names its line.
 */

import { isMap, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import type { core } from "zod";
import { serverId } from "#node/core/identity.ts";
import { type Duration, microseconds, seconds } from "#node/core/time.ts";
import { greatCircleDelay, type Coordinates } from "./distance.ts";
import { type Jitter, type Link, type LinkShape, type MulticastLoss, pairKey, type Site } from "./link.ts";
import { type Problem, refuse, suggestion } from "../terminal/problem.ts";
import { bitsPerSecond, duration, fraction, spread } from "./quantity.ts";
import { type JitterFile, type TopologyFile, topologySchema } from "./schema.ts";

export interface Reading {
  readonly description: string;
  readonly sites: ReadonlyMap<string, Site>;
  readonly links: ReadonlyMap<string, Link>;
  readonly ordered: boolean;
  readonly multicastLoss: MulticastLoss;
}

type Path = readonly (string | number)[];
type Report = (path: Path, message: string, what?: "value" | "key") => void;

/** A testbed of more sites than this was never meant: 250 sites have 62,250 directed pairs. */
const MAX_SITES = 250;
/** Of one way. Nothing on Earth is that far, and a queue that long was never meant. */
const MAX_DELAY = seconds(60);
const LAN_ROUND_TRIP = "100us";
/** The sd of each distribution in scales; see testbed/network/distribution.ts. */
const SD_PER_SCALE = { pareto: 0.8203, normal: 1, uniform: 1 / Math.sqrt(3) } as const;

export function readTopology(text: string, file: string): Reading {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems: Problem[] = [];
  const at = (offset: number, message: string): void => {
    const { line, col } = lines.linePos(offset);
    problems.push({ line, column: col, message });
  };
  for (const error of document.errors) at(error.pos[0], error.message);
  if (problems.length > 0) refuse(file, problems);

  const report: Report = (path, message, what = "value") =>
    at(offsetOf(document.contents, path, what), message);
  const parsed = topologySchema.safeParse(plain(document, file));
  if (!parsed.success) {
    for (const issue of parsed.error.issues) explain(issue, [], report);
    refuse(file, problems);
  }
  const reading = meaning(parsed.data, report);
  if (problems.length > 0) refuse(file, problems);
  addEstimates(parsed.data, reading.links, report);
  if (problems.length > 0) refuse(file, problems);
  return reading;
}

/** Aliases are followed only now, and one that leads nowhere, or to too much, is thrown. */
function plain(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    return refuse(file, [{ line: 1, column: 1, message: (error as Error).message }]);
  }
}

/** Where the value at `path` stands; where the nearest thing that exists stands, when it does not. */
function offsetOf(root: Node | null, path: Path, what: "value" | "key"): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (pair === undefined) return offset;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (typeof node === "object" && node !== null && "items" in node && Array.isArray(node.items)) {
      node = node.items[Number(step)];
    } else return offset;
    if (what === "key" && depth === path.length - 1) break;
    if (isScalar(node) && node.range) [offset] = node.range;
    else if (typeof step === "number" && isMap(node) && node.range) [offset] = node.range;
  }
  return offset;
}

function explain(issue: core.$ZodIssue, above: Path, report: Report): void {
  const path: Path = [...above, ...(issue.path as Path)];
  if (issue.code === "unrecognized_keys") {
    const known = fieldsAt(path);
    for (const key of issue.keys) {
      report([...path, key], `unknown field "${key}"${suggestion(key, known)}`, "key");
    }
  } else if (issue.code === "invalid_union") {
    // "none" or a jitter: what was meant is what is not a bare word.
    const branch = issue.errors.at(-1) ?? [];
    const isWord = branch.some(({ code, path: inner }) => code === "invalid_type" && inner.length === 0);
    if (isWord) report(path, 'expected "none" or { distribution, scale }');
    else for (const inner of branch) explain(inner, path, report);
  } else if (issue.code === "invalid_key") {
    report(path, issue.issues[0]?.message ?? issue.message);
  } else if (issue.code === "invalid_value") {
    report(path, `expected one of ${issue.values.join(", ")}`);
  } else report(path, issue.message);
}

/** The fields that the schema knows at `path`. */
function fieldsAt(path: Path): readonly string[] {
  let schema: unknown = topologySchema;
  for (const step of path) {
    const { shape, element, valueType } = unwrap(schema);
    schema = shape?.[String(step)] ?? element ?? valueType;
  }
  return Object.keys(unwrap(schema).shape ?? {});
}

interface Anatomy {
  readonly shape?: Record<string, unknown>;
  readonly element?: unknown;
  readonly valueType?: unknown;
}

function unwrap(schema: unknown): Anatomy {
  let inner = schema as { def?: { innerType?: unknown; options?: unknown[] } } | undefined;
  while (inner?.def?.innerType !== undefined || inner?.def?.options !== undefined) {
    inner = (inner.def.innerType ?? inner.def.options?.at(-1)) as typeof inner;
  }
  return (inner?.def ?? {}) as Anatomy;
}

function meaning(file: TopologyFile, report: Report): Reading & { readonly links: Map<string, Link> } {
  const names = Object.keys(file.sites);
  if (names.length === 0) report(["sites"], "a topology has at least one site");
  if (names.length > MAX_SITES)
    report(["sites"], `${names.length} sites are given, ${MAX_SITES} are the most`);
  return {
    description: file.description ?? "",
    sites: sitesOf(file, report),
    links: names.length > MAX_SITES ? new Map() : linksOf(file, names, report),
    ordered: file.order !== "free",
    multicastLoss: multicastLossOf(file.multicastLoss ?? "independent"),
  };
}

const multicastLossOf = (text: string): MulticastLoss =>
  text === "independent" || text === "shared" ? text : fraction(text);

function sitesOf(file: TopologyFile, report: Report): ReadonlyMap<string, Site> {
  const placed = new Map<string, string>();
  const written = Object.entries(file.sites);
  const silent = written.every(([, site]) => site?.load === undefined);
  const weight = (site: TopologyFile["sites"][string]): number =>
    site?.load ?? (silent && (site?.servers ?? []).length > 0 ? 1 : 0);
  const total = written.reduce((sum, [, site]) => sum + weight(site), 0);
  const sites = new Map<string, Site>();
  for (const [name, site] of written) {
    const servers = (site?.servers ?? []).map((server, index) => {
      const before = placed.get(server);
      const path = ["sites", name, "servers", index];
      if (before !== undefined) report(path, `${server} is already placed on ${before}`);
      if (Number(server.slice(1)) > 255) report(path, `${server}: servers are named p1 to p255`);
      placed.set(server, name);
      return Math.min(Number(server.slice(1)), 255);
    });
    if (weight(site) > 0 && servers.length === 0) {
      report(
        ["sites", name, "load"],
        `${name} has clients but no server: clients use servers of their own site`,
      );
    }
    sites.set(name, {
      name,
      latitude: site?.latitude ?? null,
      longitude: site?.longitude ?? null,
      servers: servers.map(serverId).sort((a, b) => a - b),
      load: total > 0 ? weight(site) / total : 0,
    });
  }
  if (!silent && total === 0) report(["sites"], "every site's load is 0: somebody must send requests");
  return sites;
}

function linksOf(file: TopologyFile, names: readonly string[], report: Report): Map<string, Link> {
  const links = new Map<string, Link>();
  const known = (name: string, path: Path): boolean => {
    if (names.includes(name)) return true;
    report(path, `unknown site "${name}"${suggestion(name, names)}`);
    return false;
  };
  for (const [index, link] of (file.links ?? []).entries()) {
    const path = ["links", index];
    const way = directions(link, path, report);
    if (way === null || !way.pairs.flat().every((name) => known(name, [...path, way.field]))) continue;
    const shape = shapeOf(file, link, way.delay, path, report);
    for (const [from, to] of way.pairs) {
      if (from === to) report(path, `${from} is linked to itself: distances inside a site are said by "lan"`);
      else if (links.has(pairKey(from, to))) report(path, `${from} to ${to} is given twice`);
      links.set(pairKey(from, to), {
        ...shape,
        estimated: false,
        source: link.source ?? file.source ?? null,
      });
    }
  }
  const lan = shapeOf(
    { jitter: file.lan?.jitter },
    { loss: file.lan?.loss },
    half(file.lan?.rtt ?? LAN_ROUND_TRIP),
    ["lan"],
    report,
  );
  for (const name of names) links.set(pairKey(name, name), { ...lan, estimated: false, source: null });
  return links;
}

type LinkFile = NonNullable<TopologyFile["links"]>[number];
type Way = { readonly pairs: [string, string][]; readonly delay: Duration; readonly field: string };

/** Either `between` and `rtt`, or `from`, `to` and `delay`. */
function directions(link: LinkFile, path: Path, report: Report): Way | null {
  const { between, rtt, from, to, delay } = link;
  if (between !== undefined && rtt !== undefined && from === undefined && to === undefined && !delay) {
    const [a, b] = between;
    return {
      pairs: [
        [a, b],
        [b, a],
      ],
      delay: half(rtt),
      field: "between",
    };
  }
  if (from !== undefined && to !== undefined && delay !== undefined && between === undefined && !rtt) {
    return { pairs: [[from, to]], delay: duration(delay), field: "from" };
  }
  report(path, "a link is either { between: [a, b], rtt } or { from: a, to: b, delay }");
  return null;
}

type Defaults = {
  readonly jitter?: JitterFile | undefined;
  readonly loss?: string | undefined;
  readonly rate?: string | undefined;
};

function shapeOf(file: Defaults, link: Defaults, delay: Duration, path: Path, report: Report): LinkShape {
  const [lossText, rateText] = [link.loss ?? file.loss, link.rate ?? file.rate];
  const loss = lossText === undefined ? 0 : fraction(lossText);
  const rate = rateText === undefined ? Number.POSITIVE_INFINITY : bitsPerSecond(rateText);
  const where = (field: keyof Defaults): Path => (link[field] === undefined ? [field] : [...path, field]);
  if (delay > MAX_DELAY) report(path, `a one-way delay of ${delay / 1e6}s is more than ${MAX_DELAY / 1e6}s`);
  if (loss > 1) report(where("loss"), `a loss of ${lossText} is more than everything`);
  if (rate === 0) report(where("rate"), "a rate of 0 passes nothing: cut the link at run time instead");
  const jitter = jitterOf(link.jitter ?? file.jitter, delay, where("jitter"), report);
  return { delay, jitter, loss, rate };
}

function jitterOf(file: JitterFile | undefined, delay: Duration, path: Path, report: Report): Jitter | null {
  if (file === undefined || file === "none") return null;
  const { distribution, scale, sd, halfLife } = file;
  if ((scale === undefined) === (sd === undefined)) {
    report(path, "a jitter has either a scale (what netem calls jitter) or an sd");
    return null;
  }
  const size =
    scale === undefined
      ? microseconds(spread(sd ?? "", delay) / SD_PER_SCALE[distribution])
      : spread(scale, delay);
  if (size > delay) report(path, `a jitter of ${size} us is larger than the one-way delay of ${delay} us`);
  if (size === 0) return null;
  return { distribution, scale: size, halfLife: duration(halfLife ?? "0us") };
}

function addEstimates(file: TopologyFile, links: Map<string, Link>, report: Report): void {
  const names = Object.keys(file.sites);
  for (const from of names) {
    for (const to of names) {
      if (links.has(pairKey(from, to))) continue;
      const [a, b] = [placeOf(file.sites[from]), placeOf(file.sites[to])];
      if (file.estimate === undefined) {
        report(["sites", from], `${from} has no link to ${to}, and no "estimate" says how far it is`);
      } else if (a === null || b === null) {
        report(["sites", from], `${from} to ${to} cannot be estimated without their latitude and longitude`);
      } else {
        const delay = greatCircleDelay(a, b, file.estimate.stretch);
        const shape = shapeOf(file, {}, delay, ["estimate"], report);
        const source = `estimated: great circle times ${file.estimate.stretch}`;
        links.set(pairKey(from, to), { ...shape, estimated: true, source });
      }
    }
  }
}

const placeOf = (site: TopologyFile["sites"][string] | undefined): Coordinates | null =>
  site?.latitude === undefined || site.longitude === undefined
    ? null
    : { latitude: site.latitude, longitude: site.longitude };

const half = (roundTrip: string): Duration => microseconds(duration(roundTrip) / 2);
