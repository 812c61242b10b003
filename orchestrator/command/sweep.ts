/** `polebench sweep`: thousands of trials in virtual time on all processors; goes on where it was stopped. */

import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { isIP } from "node:net";
import { basename, join } from "node:path";
import { type Command, Option } from "commander";
import Docker from "dockerode";
import { EXIT } from "#node/core/exit-code.ts";
import { type ElectionName, elections } from "#node/election/catalog.ts";
import { unaidedOracles } from "#node/oracle/catalog.ts";
import { planTrial } from "../plan/flags.ts";
import { commitAsLoaded } from "../recording/environment.ts";
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
import { sourcesOfSweep } from "../sweep/sources.ts";
import { ownAddress, workersOf } from "../sweep/swarm/nodes.ts";
import { reapSwarm } from "../sweep/swarm/remains.ts";
import { Swarm } from "../sweep/swarm/swarm.ts";
import { carryOut, type Sweep } from "../sweep/sweep.ts";
import { provideSweepImage } from "../testbed/infrastructure/image.ts";
import { newLabel } from "../testbed/label.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { parseTopology, topologyFile } from "../topology/topology.ts";
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
  readonly engine: string;
  readonly at?: string;
  readonly image?: string;
  readonly onManagers?: boolean;
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
    .option("--workers <count>", "processes, on each machine; as many as it has processors when not given")
    .addOption(
      new Option("--engine <name>", "this machine, or the nodes of a Docker swarm")
        .choices(["here", "swarm"])
        .default("here"),
    )
    .option(
      "--at <address[:port]>",
      "swarm: where its nodes reach this machine; the manager's own address when not given",
    )
    .option(
      "--image <name>",
      "swarm: of a registry that its nodes reach; built and looked for on the nodes when not given",
    )
    .option("--on-managers", "swarm: its managers work as well")
    .option("--again <count>", "cells that are run once more and held against their first outcome", "0")
    .option("--out <folder>", "where reports go", "reports")
    .option("--quiet", "no progress")
    .action(async (flags: Flags) => {
      process.exitCode = await sweep(flags);
    });
}

async function sweep(flags: Flags): Promise<number> {
  const asked = askedOf(flags);
  const again = whole("again", flags.again, 0, 1e6);
  const folder = join(flags.out, "sweep", nameOf(asked));
  mkdirSync(folder, { recursive: true });
  using results = new Results(join(folder, "cells.sqlite"));
  using stop = interruption();
  const sources = sourcesOfSweep();
  const left = leftOf(asked, results, sources);
  const count = countOf(asked);
  const pace = new Pace(count, count - left, flags.quiet === true);
  let lost = 0;
  const differing: Differing[] = [];
  const differs = (first: string, second: string): void => void differing.push({ first, second });
  let made: string;
  {
    await using hands = await handsOf(flags, left + again);
    made = hands.remark;
    try {
      await hands.carryOut({
        cells: filtered(cellsOf(asked), (cell) => !results.has(idOf(cell, sources))),
        signal: stop.signal,
        done: (row) => {
          results.add(row);
          pace.finish();
        },
        lost: (cell, reason) => {
          lost += 1;
          console.error(`lost: ${JSON.stringify(cell)}: ${reason}`);
        },
        differs,
      });
    } finally {
      pace.end();
    }
    if (!stop.signal.aborted)
      await hands.carryOut({
        cells: repeated(asked, again),
        signal: stop.signal,
        done: (row) => {
          const before = results.row(row.id);
          const [first, second] = [before === null ? "" : outcomeOf(before), outcomeOf(row)];
          if (first !== second) differs(first, second);
        },
        lost: (cell, reason) => differs(idOf(cell, sources), reason),
        differs,
      });
    if (hands.same > 0) console.log(`${hands.same} cells were run twice on the way, with the same outcome.`);
  }
  const findings = new Findings();
  const wanted = new Set([...cellsOf(asked)].map((cell) => idOf(cell, sources)));
  for (const row of results.rows()) if (wanted.has(row.id)) findings.add(row);
  await writeSweep(folder, { findings, asked: count, made: madeOf(asked, made, sources) });
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
    oracles: names("oracles", flags.oracles, unaidedOracles),
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
  return paths.map((path) => {
    const { file, text } = topologyFile(path);
    parseTopology(text, file);
    return { kind: "written", name: basename(file), text };
  });
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
  const which = first?.kind === "written" ? "file" : "random";
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
function repeated(asked: SweepAsked, count: number): readonly Cell[] {
  if (count === 0) return [];
  const step = Math.max(1, Math.floor(countOf(asked) / count));
  return [...cellsOf(asked)].filter((_, index) => index % step === 0).slice(0, count);
}

interface Differing {
  readonly first: string;
  readonly second: string;
}

/** Who carries cells out: processes of this machine, or the nodes of a swarm. */
interface Hands extends AsyncDisposable {
  readonly remark: string;
  readonly same: number;
  carryOut(sweep: Omit<Sweep, "workers"> & { readonly cells: Iterable<Cell> }): Promise<void>;
}

async function handsOf(flags: Flags, cells: number): Promise<Hands> {
  const given = flags.workers ? whole("workers", flags.workers, 1, 1024) : null;
  if (flags.engine === "swarm" && cells > 0) return swarmOf(flags, given);
  refuseOfSwarms(flags);
  const workers = Math.max(1, Math.min(given ?? availableParallelism(), cells));
  return {
    remark: `${workers} workers`,
    same: 0,
    carryOut: (sweep) => carryOut({ ...sweep, workers }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function swarmOf(flags: Flags, workers: number | null): Promise<Hands> {
  const docker = new Docker();
  const given = flags.at ? addressOf(flags.at) : null;
  const nodes = await workersOf(docker, flags.onManagers === true);
  const address = given?.address ?? (await ownAddress(docker));
  await reapSwarm(docker);
  const say = (text: string): void => (flags.quiet === true ? undefined : console.error(text));
  say(`swarm: ${nodes.length} nodes, ${nodes.map(({ name }) => name).join(", ")}; the image`);
  const image = flags.image ?? (await provideSweepImage(docker)).name;
  const sources = sourcesOfSweep();
  return Swarm.open({
    docker,
    image,
    label: newLabel(),
    address,
    port: given?.port ?? 0,
    workers,
    nodes,
    onManagers: flags.onManagers === true,
    sources,
    idOf: (cell) => idOf(cell, sources),
    say,
  });
}

function refuseOfSwarms({ engine, at, image, onManagers }: Flags): void {
  if (engine === "swarm") return;
  for (const [name, value] of Object.entries({ at, image, "on-managers": onManagers }))
    if (value !== undefined && value !== "") throw new RefusedInput(`--${name} is for --engine swarm`);
}

function addressOf(given: string): { readonly address: string; readonly port: number } {
  const [, inBrackets, plain, port = "0"] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(given) ?? [];
  const address = inBrackets ?? plain ?? (isIP(given) > 0 ? given : "");
  if (address !== "" && Number(port) < 65_536) return { address, port: Number(port) };
  throw new RefusedInput(`--at: "${given}" is no address with or without a port, such as 10.0.0.5:7070`);
}

const madeOf = (
  asked: SweepAsked,
  hands: string,
  sources: string,
): readonly (readonly [string, string])[] => [
  ["command", commandLine()],
  [
    "trials",
    `${asked.conditions.duration} at ${asked.conditions.rate}, the leader dies when two fifths are over`,
  ],
  ["by", hands],
  ["commit", commitAsLoaded()],
  ["sources", sources],
  ["node", process.version],
];
