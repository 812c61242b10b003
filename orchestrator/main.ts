/**
 * The command line: subcommands and their flags, nothing else. What they do stands in the folders that they
 * name.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addAdviseTimers } from "./command/advise-timers.ts";
import { addAdvise } from "./command/advise.ts";
import { addAgree } from "./command/agree.ts";
import { addAnnounce } from "./command/announce.ts";
import { addBook } from "./command/book.ts";
import { addCompare } from "./command/compare.ts";
import { addElections } from "./command/elections.ts";
import { addFork } from "./command/fork.ts";
import { addHandovers } from "./command/handovers.ts";
import { addKills } from "./command/kills.ts";
import { addList } from "./command/list.ts";
import { addMembers } from "./command/members.ts";
import { addNoise } from "./command/noise.ts";
import { addPaper } from "./command/paper.ts";
import { addPeers } from "./command/peers.ts";
import { addPlacements } from "./command/placements.ts";
import { addPriority } from "./command/priority.ts";
import { addPublished } from "./command/published.ts";
import { addPredict } from "./command/predict.ts";
import { addRecipe } from "./command/recipe.ts";
import { addRecovery } from "./command/recovery.ts";
import { addReplay } from "./command/replay.ts";
import { addReport } from "./command/report.ts";
import { addRun } from "./command/run.ts";
import { addSweep } from "./command/sweep.ts";
import { addTheory } from "./command/theory.ts";
import { addTransfer } from "./command/transfer.ts";
import {
  bench,
  calibrate,
  type CalibrateFlags,
  clean,
  type BedFlags,
  doctor,
  image,
  up,
} from "./command/testbed.ts";
import { loadTopology, parseTopology } from "./topology/topology.ts";
import { topologyFromCsv } from "./topology/csv.ts";
import { EXIT } from "#node/core/exit-code.ts";

const program = new Command("polebench")
  .description("Real replicas on an emulated WAN: which leader-election oracle serves your deployment best?")
  .exitOverride()
  .showSuggestionAfterError();

addRun(program);
addCompare(program);
addElections(program);
addMembers(program);
addTheory(program);
addAnnounce(program);
addAdvise(program);
addAdviseTimers(program);
addPaper(program);
addPredict(program);
addPublished(program);
addBook(program);
addPlacements(program);
addHandovers(program);
addPeers(program);
addKills(program);
addNoise(program);
addPriority(program);
addRecipe(program);
addReport(program);
addReplay(program);
addSweep(program);
addFork(program);
addAgree(program);
addList(program);
addRecovery(program);
addTransfer(program);

const engine = () => new Option("--engine <name>", "who delays the packets").choices(["netem", "plane"]);
const infrastructure = () =>
  new Option("--infrastructure <name>", "what machines are made of").choices(["netns", "docker"]);

function bed(command: Command): Command {
  return command
    .argument("<topology>", "a name from topologies/, or a file")
    .addOption(engine())
    .addOption(infrastructure())
    .option("--rootless", "as an ordinary user would, even when root")
    .option("--precise", "spin before each delivery: more exact, and costs a processor")
    .option("--congestion-control <name>", "of TCP, on every machine")
    .option("--socket-buffers <bytes>", "the most TCP may buffer for a connection", whole);
}

bed(program.command("calibrate"))
  .description("measures an emulated network and certifies how near it came to its topology")
  .option("--bandwidth <seconds>", "also measure a TCP flow between each two sites, so long each", whole, 0)
  .option("--rounds <count>", "samples of each pair of machines", whole, 200)
  .option("--json", "print the certificate as JSON")
  .action(async (topology: string, flags: CalibrateFlags) => {
    process.exitCode = await calibrate(topology, flags);
  });

bed(program.command("up"))
  .description("keeps the machines of a topology up, to look into them with ping, iperf3 and the like")
  .action(async (topology: string, flags: BedFlags) => {
    process.exitCode = await up(topology, flags);
  });

program
  .command("clean")
  .description("removes what killed runs left behind")
  .action(async () => {
    process.exitCode = await clean();
  });

program
  .command("doctor")
  .description("says what this machine can do, which engine would be chosen, and what to install")
  .option("--json", "print it as JSON")
  .action(async ({ json }: { json?: boolean }) => {
    process.exitCode = await doctor(json === true);
  });

program
  .command("bench-plane")
  .description("measures how exact and how fast the packet plane is here, promised beside measured")
  .option("--json", "print it as JSON")
  .option("--repetitions <n>", "of everything, 3 minutes each; the medians count", atLeastOne, 3)
  .action(async ({ json, repetitions }: { json?: boolean; repetitions: number }) => {
    process.exitCode = await bench(json === true, repetitions);
  });

program
  .command("image")
  .description("builds the replica's image, on node:24-slim or, without a registry, on the pinned Node")
  .addOption(new Option("--base <which>", "own never asks a registry").choices(["any", "own"]).default("any"))
  .option("--sweep", "that of a sweep's tasks, for the nodes of a swarm")
  .action(async ({ base, sweep }: { base: "any" | "own"; sweep?: boolean }) => {
    process.exitCode = await image(base, sweep === true);
  });

program
  .command("validate")
  .argument("<topologies...>", "names from topologies/, or files")
  .description("says what is wrong with a topology, with line and column")
  .action((topologies: readonly string[]) => {
    for (const given of topologies) {
      const { name, sites, servers } = loadTopology(given);
      console.log(`${name}: ${sites.size} sites, ${servers.size} servers`);
    }
  });

program
  .command("import <csv> <yaml>")
  .description("makes a topology file of a matrix of round-trip times in milliseconds")
  .action((csv: string, yaml: string) => {
    const text = topologyFromCsv(readFileSync(csv, "utf8"), csv);
    parseTopology(text, yaml);
    writeFileSync(yaml, text);
  });

function whole(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

function atLeastOne(text: string): number {
  if (whole(text) === 0) throw new InvalidArgumentError("Of nothing nothing can be told.");
  return whole(text);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.passed : EXIT.usage;
  else if (error instanceof Error && "exitCode" in error) {
    console.error(error.message);
    process.exitCode = Number(error.exitCode);
  } else throw error;
}
