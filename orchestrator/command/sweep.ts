/** `polebench sweep`: thousands of trials in virtual time on all processors; goes on where it was stopped. */

import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { type ElectionName, elections } from "#node/election/catalog.ts";
import { type OracleName, oracles } from "#node/oracle/catalog.ts";
import { planTrial } from "../plan/flags.ts";
import { commitAsLoaded } from "../recording/environment.ts";
import { sourcesAsLoaded } from "../recording/sources.ts";
import { answers, writeSweep } from "../report/sweep-report.ts";
import {
  type SweepAsked,
  type Cell,
  cellsOf,
  countOf,
  idOf,
  type MapSource,
  planned,
} from "../sweep/cell.ts";
import { Findings } from "../sweep/findings.ts";
import { Results } from "../sweep/results.ts";
import { outcomeOf } from "../sweep/row.ts";
import { carryOut } from "../sweep/sweep.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { loadTopology } from "../topology/topology.ts";
import { commandLine } from "./command-line.ts";
import { Pace } from "./pace.ts";

interface Flags {
  readonly placements: string;
  readonly oracles: string;
  readonly elections: string;
  readonly seeds: string;
  readonly servers: string;
  readonly rate: string;
  readonly duration: string;
  readonly workers?: string;
  readonly again: string;
  readonly out: string;
  readonly quiet?: boolean;
}

export function addSweep(program: Command): void {
  program
    .command("sweep")
    .description("thousands of trials in virtual time, on all processors; goes on where it was stopped")
    .option("--placements <which>", "random:10000, or a file with a topology a line", "random:100")
    .option("--oracles <list>", "that judge", "latency,consensus,worst-case,request,history,rotating")
    .option("--elections <list>", "that they judge in", "pole")
    .option("--seeds <count>", "trials of each", "1")
    .option("--servers <count>", "of a map at random", "5")
    .option("--rate <rate>", "of all clients together", "200/s")
    .option("--duration <duration>", "of the load; the leader dies when two fifths are over", "30s")
    .option("--workers <count>", "threads; as many as there are processors when not given")
    .option("--again <count>", "cells that are run once more and held against their first outcome", "0")
    .option("--out <folder>", "where reports go", "reports")
    .option("--quiet", "no progress")
    .action(async (flags: Flags) => {
      process.exitCode = await sweep(flags);
    });
}

async function sweep(flags: Flags): Promise<number> {
  const asked = askedOf(flags);
  const threads = flags.workers ? whole("workers", flags.workers, 1, 1024) : availableParallelism();
  const again = whole("again", flags.again, 0, 1e6);
  const folder = join(flags.out, "sweep", nameOf(asked));
  mkdirSync(folder, { recursive: true });
  using results = new Results(join(folder, "cells.sqlite"));
  using stop = interruption();
  const sources = sourcesAsLoaded(null);
  const left = leftOf(asked, results, sources);
  const count = countOf(asked);
  const pace = new Pace(count, count - left, flags.quiet === true);
  let lost = 0;
  await carryOut({
    cells: filtered(cellsOf(asked), (cell) => !results.has(idOf(cell, sources))),
    threads: Math.max(1, Math.min(threads, left)),
    signal: stop.signal,
    done: (row) => {
      results.add(row);
      pace.finish();
    },
    lost: (cell, reason) => {
      lost += 1;
      console.error(`lost: ${JSON.stringify(cell)}: ${reason}`);
    },
  });
  pace.end();
  const differing = stop.signal.aborted
    ? []
    : await repeated(asked, again, results, sources, threads, stop.signal);
  const findings = new Findings();
  const wanted = new Set([...cellsOf(asked)].map((cell) => idOf(cell, sources)));
  for (const row of results.rows()) if (wanted.has(row.id)) findings.add(row);
  await writeSweep(folder, { findings, asked: count, made: madeOf(asked, threads, sources) });
  for (const sentence of answers(findings.all())) console.log(sentence);
  for (const { first, second } of differing)
    console.log(`NOT THE SAME TWICE: ${first}\n                    ${second}`);
  if (again > 0 && differing.length === 0)
    console.log(`${again} cells were run once more, with the same outcome.`);
  console.log(`\n  ${join(folder, "report.html")}`);
  if (stop.signal.aborted) return EXIT.interrupted;
  const isWhole = lost === 0 && differing.length === 0 && findings.wrong.length === 0;
  return isWhole ? EXIT.passed : EXIT.failed;
}

function askedOf(flags: Flags): SweepAsked {
  const servers = whole("servers", flags.servers, 3, 15);
  const conditions = { servers, rate: flags.rate, duration: flags.duration };
  const asked: SweepAsked = {
    places: placesOf(flags.placements),
    oracles: names(
      "oracles",
      flags.oracles,
      Object.keys(oracles).filter((name) => name !== "preference") as OracleName[],
    ),
    elections: names("elections", flags.elections, Object.keys(elections) as ElectionName[]),
    seeds: whole("seeds", flags.seeds, 1, 1e6),
    conditions,
  };
  for (const election of asked.elections)
    planTrial({ election, rate: flags.rate, duration: flags.duration, killAt: "" }, "sim");
  const [cell] = cellsOf(asked);
  if (cell !== undefined) planned(cell);
  return asked;
}

function placesOf(given: string): readonly MapSource[] {
  const [, count] = /^random:(\d{1,7})$/.exec(given) ?? [];
  if (count !== undefined && Number(count) > 0)
    return Array.from({ length: Number(count) }, (_, index) => ({ kind: "drawn", map: index + 1 }));
  if (given.startsWith("random"))
    throw new RefusedInput(`--placements: "${given}" is not random:COUNT, such as random:1000`);
  let text: string;
  try {
    text = readFileSync(given, "utf8");
  } catch (error) {
    throw new RefusedInput(
      `--placements: ${given}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const paths = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (paths.length === 0) throw new RefusedInput(`--placements: ${given} names no topology`);
  for (const path of paths) loadTopology(path);
  return paths.map((path) => ({ kind: "file", path }));
}

function names<T extends string>(flag: string, given: string, valid: readonly T[]): readonly T[] {
  const found = given.split(",").map((word) => {
    const name = valid.find((one) => one === word.trim());
    if (name === undefined)
      throw new RefusedInput(`--${flag}: there is no "${word}"${suggestion(word, valid)}`);
    return name;
  });
  return [...new Set(found)];
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
  throw new RefusedInput(`--${flag}: "${text}" is no whole number from ${least} to ${most}`);
}

/** What is asked for again goes on in the same folder. */
function nameOf({ places, conditions: { servers, rate, duration } }: SweepAsked): string {
  const [first] = places;
  const which = first?.kind === "file" ? "file" : "random";
  return `${which}-${servers}-${rate.replace("/", "-")}-${duration}`;
}

function leftOf(asked: SweepAsked, results: Results, sources: string): number {
  let left = 0;
  for (const cell of cellsOf(asked)) if (!results.has(idOf(cell, sources))) left += 1;
  return left;
}

function* filtered(cells: Iterable<Cell>, isWanted: (cell: Cell) => boolean): Generator<Cell> {
  for (const cell of cells) if (isWanted(cell)) yield cell;
}

/** Every so many-th once more: what comes of a cell is decided by its name alone, or something is wrong. */
async function repeated(
  asked: SweepAsked,
  count: number,
  results: Results,
  sources: string,
  threads: number,
  signal: AbortSignal,
): Promise<readonly { readonly first: string; readonly second: string }[]> {
  if (count === 0) return [];
  const step = Math.max(1, Math.floor(countOf(asked) / count));
  const cells = [...cellsOf(asked)].filter((_, index) => index % step === 0).slice(0, count);
  const differing: { first: string; second: string }[] = [];
  await carryOut({
    cells,
    threads: Math.min(threads, cells.length),
    signal,
    done: (row) => {
      const before = results.row(row.id);
      const [first, second] = [before === null ? "" : outcomeOf(before), outcomeOf(row)];
      if (first !== second) differing.push({ first, second });
    },
    lost: (cell, reason) => differing.push({ first: idOf(cell, sources), second: reason }),
  });
  return differing;
}

const madeOf = (
  asked: SweepAsked,
  threads: number,
  sources: string,
): readonly (readonly [string, string])[] => [
  ["command", commandLine()],
  [
    "trials",
    `${asked.conditions.duration} at ${asked.conditions.rate}, the leader dies when two fifths are over`,
  ],
  ["threads", String(threads)],
  ["commit", commitAsLoaded()],
  ["sources", sources],
  ["node", process.version],
];
