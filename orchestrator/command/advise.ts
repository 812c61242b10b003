/** `polebench advise`: where servers should be, who should lead, and what that would gain. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "csv-parse/sync";
import { type Command, Option } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { Random } from "#node/core/random.ts";
import { type Advice, advise, type Candidate, type Today } from "../advice/advise.ts";
import { check } from "../advice/check.ts";
import { configurations } from "../advice/configuration.ts";
import { foundIn } from "../advice/distances/formats.ts";
import { ESTIMATES, type EstimateRule, mapOf } from "../advice/distances/map.ts";
import { type Unit, UNITS } from "../advice/distances/measured.ts";
import type { Outlook } from "../advice/evaluate.ts";
import { orderOf } from "../advice/order.ts";
import {
  countOfPlacements,
  leastAtASite,
  type Placement,
  placementOf,
  placementsOf,
  printPlacement,
} from "../advice/placements.ts";
import { type Goal, GOALS, type Loss, LOSSES, type AdviceQuestion } from "../advice/question.ts";
import { type AdviceReport, answerOf, type Checked, jsonOf, writeAdvice } from "../report/advice-report.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { aligned } from "../terminal/table.ts";
import { siteName } from "../topology/csv.ts";
import type { Coordinates } from "../topology/distance.ts";
import { printMs } from "../topology/model.ts";
import { loadTopology, type Topology, withLoad } from "../topology/topology.ts";
import { commandLine } from "./command-line.ts";

interface Flags {
  readonly rtt?: string;
  readonly topology?: string;
  readonly servers?: string;
  readonly most?: string;
  readonly sites?: string;
  readonly placements?: string;
  readonly load?: string;
  readonly lose: Loss;
  readonly goal: Goal;
  readonly now?: string;
  readonly leader?: string;
  readonly estimate: EstimateRule;
  readonly unit?: Unit;
  readonly places?: string;
  readonly checks: string;
  readonly out: string;
  readonly json?: boolean;
}

export function addAdvise(program: Command): void {
  program
    .command("advise")
    .description("where servers should be and who should lead, for distances of one's own")
    .option("--rtt <path>", "a matrix, a list, logs of ping, metrics, or a folder with a file a place")
    .option("--topology <name>", "a name from topologies/, or a file, instead of --rtt")
    .option("--servers <count>", "5 when nothing else is said, or as many as the topology has")
    .option("--most <count>", "servers at a site; as few as fit when not given")
    .option("--sites <list>", "where servers may be, such as fra,iad,nrt; everywhere when not given")
    .option("--placements <list>", "only these: 'fra,iad,nrt; fra,fra,iad'")
    .option("--load <shares>", "such as fra:3,iad:1; equal when not given")
    .addOption(new Option("--lose <what>", "that the leader dies with").choices(LOSSES).default("server"))
    .addOption(new Option("--goal <what>", "that is to be small").choices(Object.keys(GOALS)).default("mean"))
    .option("--now <list>", "where servers are today; a topology's own when not given")
    .option("--leader <site>", "that leads today")
    .addOption(
      new Option("--estimate <rule>", "for pairs that nobody measured")
        .choices(Object.keys(ESTIMATES))
        .default("refuse"),
    )
    .addOption(new Option("--unit <unit>", "of numbers without one").choices(Object.keys(UNITS)))
    .option("--places <file>", "lines of site,latitude,longitude")
    .option("--checks <count>", "placements that are also simulated", "5")
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print one JSON document")
    .action(async (flags: Flags) => {
      process.exitCode = await run(flags);
    });
}

async function run(flags: Flags): Promise<number> {
  const { topology: given, notes } = distancesOf(flags);
  const topology = loaded(given, flags.load);
  const question = questionOf(flags, topology);
  const placements = placementsAsked(flags, topology, question);
  const began = performance.now();
  const advice = advise(topology, question, placements, todayOf(flags, topology));
  const seconds = (performance.now() - began) / 1e3;
  if (advice === null) {
    const lost = flags.lose === "site" ? "a whole site" : "a server";
    console.error(`no placement survives the loss of ${lost}: of ${question.servers}, a quorum must be left`);
    return EXIT.unknown;
  }
  const checks = checked(advice, whole("checks", flags.checks, 0, 1000));
  const { best, advised, order } = advice;
  const report = {
    advice,
    notes,
    checks,
    configurations: configurations(best.evaluation.topology, advised, order),
    command: commandLine(),
  };
  const folder = join(flags.out, "advise", "latest");
  await writeAdvice(folder, report);
  if (flags.json === true) console.log(JSON.stringify(jsonOf(report), null, 1));
  else print(report, seconds, folder);
  return EXIT.passed;
}

/** From measurements, or from a topology. */
function distancesOf(flags: Flags): { readonly topology: Topology; readonly notes: readonly string[] } {
  if (flags.rtt && flags.topology) throw new RefusedInput("give either --rtt or --topology");
  if (flags.topology) return { topology: loadTopology(flags.topology), notes: [] };
  if (!flags.rtt)
    throw new RefusedInput("say how far sites are apart: --rtt matrix.csv, or --topology cloud");
  const unit = flags.unit ?? null;
  const readings = filesOf(flags.rtt).map(({ file, from }) => ({
    file,
    found: foundIn(readFileSync(file, "utf8"), file, { unit, from }),
  }));
  return mapOf(readings, {
    estimate: flags.estimate,
    places: flags.places ? placesIn(flags.places) : new Map(),
    unitIsSaid: unit !== null,
  });
}

/** A folder's files are named after the places where they were made. */
function filesOf(path: string): readonly { readonly file: string; readonly from: string | null }[] {
  const placeOf = (file: string): string => basename(file).replace(/\.[a-z]+$/, "");
  try {
    if (!statSync(path).isDirectory())
      return [{ file: path, from: /\.(?:log|ping|ntp)$/.test(path) ? placeOf(path) : null }];
    const files = readdirSync(path)
      .filter((name) => !name.startsWith("."))
      .sort();
    if (files.length === 0) throw new RefusedInput(`${path}: the folder is empty`);
    return files.map((name) => ({ file: join(path, name), from: placeOf(name) }));
  } catch (error) {
    if (error instanceof RefusedInput) throw error;
    throw new RefusedInput(`--rtt: ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function placesIn(file: string): ReadonlyMap<string, Coordinates> {
  let rows: readonly (readonly string[])[];
  try {
    rows = parse(readFileSync(file, "utf8"), {
      bom: true,
      trim: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new RefusedInput(`--places: ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const places = new Map<string, Coordinates>();
  for (const [index, [site = "", north = "", east = ""]] of rows.entries()) {
    const [latitude, longitude] = [Number(north), Number(east)];
    const isPlace = north !== "" && east !== "" && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
    if (isPlace) places.set(siteName(site), { latitude, longitude });
    else if (index > 0)
      throw new RefusedInput(`${file}:${index + 1}: "${north},${east}" are no latitude and longitude`);
  }
  return places;
}

function loaded(topology: Topology, load: string | undefined): Topology {
  const names = [...topology.sites.keys()];
  if (!load) {
    const isSaid = [...topology.sites.values()].some((site) => site.load > 0);
    return isSaid ? topology : withLoad(topology, new Map(names.map((name) => [name, 1])));
  }
  const shares = load.split(",").map((part): [string, number] => {
    const [site = "", weight = ""] = part.trim().split(":");
    known("load", site, names);
    if (!/^[0-9]*\.?[0-9]+$/.test(weight))
      throw new RefusedInput(`--load: "${part}" is not SITE:WEIGHT, such as ${site}:1`);
    return [site, Number(weight)];
  });
  if (shares.every(([, weight]) => weight === 0))
    throw new RefusedInput(`--load: "${load}" sums to 0: somebody must send requests`);
  return withLoad(topology, new Map(shares));
}

function questionOf(flags: Flags, topology: Topology): AdviceQuestion {
  const usual = topology.servers.size > 0 ? topology.servers.size : USUAL_SERVERS;
  const servers = whole("servers", flags.servers ?? String(usual), 1, MOST_SERVERS);
  const sites = sitesOf(flags, topology).length;
  const least = leastAtASite(sites, servers);
  const most = flags.most ? whole("most", flags.most, 1, MOST_SERVERS) : least;
  if (most < least)
    throw new RefusedInput(
      `--servers: ${servers} find no room on ${sites} sites with ${most} at most on each: --most ${least}`,
    );
  return { servers, goal: flags.goal, lose: flags.lose, most };
}

const USUAL_SERVERS = 5;
const MOST_SERVERS = 15;

function placementsAsked(
  flags: Flags,
  topology: Topology,
  { servers, most }: AdviceQuestion,
): Iterable<Placement> {
  const sites = sitesOf(flags, topology);
  if (flags.placements) {
    const asked = flags.placements.split(";").map((text) => placementIn("placements", text, topology));
    const wrong = asked.find(({ length }) => length !== servers);
    if (wrong !== undefined)
      throw new RefusedInput(
        `--placements: ${printPlacement(wrong)} has ${wrong.length} servers, not ${servers}`,
      );
    return asked;
  }
  const count = countOfPlacements(sites.length, servers, most);
  if (count > MOST_PLACEMENTS)
    throw new RefusedInput(
      `${servers} servers on ${sites.length} sites can be placed in ${count.toLocaleString("en")} ways, ` +
        `${MOST_PLACEMENTS.toLocaleString("en")} are the most; name fewer with --sites`,
    );
  return placementsOf(sites, servers, most);
}

const MOST_PLACEMENTS = 20_000;

function sitesOf({ sites }: Flags, topology: Topology): readonly string[] {
  const names = [...topology.sites.keys()];
  if (!sites) return names;
  const asked = sites.split(",").map((name) => known("sites", name.trim(), names));
  return names.filter((name) => asked.includes(name));
}

function todayOf({ now, leader }: Flags, topology: Topology): Today | null {
  const placement = now ? placementIn("now", now, topology) : placementOf(topology);
  if (placement.length === 0) {
    if (leader) throw new RefusedInput("--leader: say with --now where servers are today");
    return null;
  }
  if (leader) known("leader", leader, [...new Set(placement)]);
  return { placement, leaderAt: leader || null };
}

function placementIn(flag: string, text: string, topology: Topology): Placement {
  const names = [...topology.sites.keys()];
  const asked = text.split(",").map((name) => known(flag, name.trim(), names));
  return asked.toSorted((a, b) => names.indexOf(a) - names.indexOf(b));
}

function known(flag: string, name: string, valid: readonly string[]): string {
  if (!valid.includes(name))
    throw new RefusedInput(`--${flag}: unknown site "${name}"${suggestion(name, valid)}`);
  return name;
}

/** The best, what there is now, the second, and some at random. */
function checked(
  { ranking, best, advised, order, now, question }: Advice,
  count: number,
): readonly Checked[] {
  const random = new Random(count);
  const others = random.shuffle(ranking.slice(1)).slice(0, Math.max(0, count - 2));
  if (best.evaluation.best.successor === null) return [];
  const asListed = (one: Candidate): [Candidate, Outlook] => [one, one.evaluation.best];
  const chosen: readonly [Candidate, Outlook][] = [
    [best, advised],
    ...(now !== null && Number.isFinite(now.evaluation.best.outageMs) ? [asListed(now)] : []),
    ...others.map(asListed),
  ];
  return chosen.slice(0, count).map(([one, outlook], index) => ({
    placement: one.placement,
    check: check(
      one.evaluation.topology,
      outlook,
      one === best ? order : orderOf(one.evaluation, question),
      question.lose,
      index + 1,
    ),
  }));
}

/** `seconds`: that the model took. */
function print({ advice, notes, checks }: AdviceReport, seconds: number, folder: string): void {
  for (const note of notes) console.log(`note: ${note}`);
  if (notes.length > 0) console.log("");
  const { ranking, question, now } = advice;
  const head = ["", "servers at", "led from", "mean", "worst site", "p99", "outage"];
  const row = (label: string, { placement, evaluation }: Candidate, outlook: Outlook): string[] => [
    label,
    printPlacement(placement),
    outlook.leader === null ? "any" : (evaluation.topology.servers.get(outlook.leader) ?? ""),
    ...[outlook.meanMs, outlook.worstMs, outlook.p99Ms, outlook.outageMs].map(printMs),
  ];
  const rows = ranking.slice(0, SHOWN).map((one, index) => row(String(index + 1), one, one.evaluation.best));
  if (now !== null) rows.push(row("now", now, now.outlook));
  const took = `${seconds.toFixed(1)} s by the model`;
  console.log(`${ranking.length} placements by ${GOALS[question.goal]}, in ms (${took}):\n`);
  for (const line of aligned([head, ...rows], 3)) console.log(line);
  console.log("");
  for (const sentence of answerOf(advice)) console.log(sentence);
  const differing = checks.filter(({ check: { differs } }) => differs.length > 0);
  if (checks.length > 0)
    console.log(`Simulated: ${checks.length - differing.length} of ${checks.length} are as the model says.`);
  for (const {
    placement,
    check: { differs },
  } of differing)
    console.log(`  ${printPlacement(placement)}: ${differs.join("; ")}`);
  console.log(`\n  ${join(folder, "report.html")}`);
}

const SHOWN = 10;

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
  throw new RefusedInput(`--${flag}: "${text}" is no whole number from ${least} to ${most}`);
}
