/** `polebench members`: an election by itself, once or a few times, and a report of each. */

import { join } from "node:path";
import { type Command, Option } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { flagOf, PLACEHOLDER } from "#node/election/options.ts";
import { exitCodeOf } from "../measure/exit-code-of.ts";
import type { ElectionSummary } from "../measure/members/summary.ts";
import { GROUP_ELECTIONS, GROUP_OPTIONS, type MembersFlags, planMembers } from "../plan/members-flags.ts";
import { armOf, type Runtime } from "../plan/plan.ts";
import { pointLatest, writeRecording } from "../recording/run-folder.ts";
import { writeElectionReport } from "../report/election-report.ts";
import { electionHeadlineOf } from "../report/headline.ts";
import { areTogether, runElections, secondsOfElection } from "../runner/run.ts";
import { recordOfMembers } from "../book/members.ts";
import { enter } from "../book/store.ts";
import { acrossElections } from "../measure/members/across.ts";
import { aligned } from "../terminal/table.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { commandLine } from "./command-line.ts";
import { electionThresholdsOf } from "./election-thresholds.ts";
import { Progress } from "./progress.ts";
import { writeGroupReplay } from "./replay.ts";
import { collect, countOf } from "./trial-flags.ts";
import { type WatchFlags, Watching, withWatchFlags } from "./watching.ts";

const RUNTIMES_OF_MEMBERS = ["sim", "netns", "docker"] as const;

interface Flags extends MembersFlags, WatchFlags {
  readonly runtime?: string;
  readonly engine?: string;
  readonly repeat?: string;
  readonly threshold?: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addMembers(program: Command): void {
  const command = program
    .command("members")
    .description("elects a leader among the members of a group, by itself, and writes a report")
    .option("--topology <name>", "a name from topologies/, or a file", "lan")
    .option("--members <count>", "spread over the sites, or where: fnal:3,slac:2", "5")
    .option("--initiators <list>", "who begin at once, such as 1-4,6; the others by a fault: restart crashed")
    .option("--election <name>", GROUP_ELECTIONS.join(" or "), "le-s");
  for (const [name, option] of GROUP_OPTIONS)
    command.addOption(new Option(`--${flagOf(name)} <${PLACEHOLDER[option.kind]}>`, option.sentence));
  command
    .option("--worth-by <criterion>", "distance: who is nearest to all others is worth most; for le-mapped")
    .option("--loss <percentage>", "of every message on its way, such as 10%")
    .option(
      "--shared [percentage]",
      "what is lost is lost for all at once, or so much: --loss 10% --shared 4%",
    )
    .option("--buffer <count>", "datagrams that may wait to be read at each listener, such as 42")
    .option("--runtime <name>", RUNTIMES_OF_MEMBERS.join(" or "), "sim")
    .option("--engine <name>", "of the live network: plane; netem carries no multicast", "plane")
    .option("--duration <duration>", "of the run", "20s")
    .option("--kill-at <duration>", "when the leader dies, or never")
    .option("--fault <words>", "may be repeated: '10s crash leader', '15s restart crashed'", collect, [])
    .option("--repeat <count>", "runs, with a seed each")
    .option("--seed <number>", "of the first run")
    .option("--threshold <words>", "such as 'latched<2s'; may be repeated", collect, [])
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print the summary as one JSON document")
    .option("--quiet", "no progress");
  withWatchFlags(command).action(async (flags: Flags) => {
    process.exitCode = await members(flags);
  });
}

async function members(flags: Flags): Promise<number> {
  demandPlane(flags.engine);
  const first = planMembers(flags, runtimeOf(flags.runtime));
  const thresholds = electionThresholdsOf(flags.threshold ?? []);
  const repetitions = countOf("repeat", flags.repeat, 1);
  await using watching = await Watching.begin(flags);
  const together = areTogether(first, repetitions);
  const each = secondsOfElection(first);
  const progress = new Progress(
    together ? [repetitions * each] : Array.from({ length: repetitions }, () => each),
    flags.quiet === true,
  );
  const summaries: ElectionSummary[] = [];
  using stop = interruption();
  const since = performance.now();
  const { topology, runtime, subject } = first;
  const name = [topology.name, armOf(first), String(subject.members.length), runtime];
  const what = (seed: number): string => `${name.join(", ")}, seed ${seed}`;
  progress.begin(what(first.seed));
  // Several lives on one testbed are told when they are over.
  const isTold = runtime !== "sim" && repetitions === 1;
  const live = isTold ? watching.election(first) : null;
  const runs = runElections(
    first,
    {
      command: commandLine(),
      signal: stop.signal,
      progress: (phase) => {
        progress.begin(`${what(first.seed + summaries.length)}: ${phase}`);
        live?.phase(phase);
      },
      ...(live !== null && { onlooker: live }),
    },
    repetitions,
  );
  for await (const recording of runs) {
    const { seed } = recording.plan;
    const folder = join(flags.out ?? "reports", "members", [...name, `seed-${seed}`].join("-"));
    writeRecording(folder, recording);
    const summary = await writeElectionReport(folder, recording, thresholds);
    enter(flags.out ?? "reports", folder, recordOfMembers(summary, name.join(", ")));
    writeGroupReplay(folder, recording, summary);
    const stream = live ?? watching.election(recording.plan);
    if (live === null) stream?.saw({ ...recording, until: recording.plan.duration });
    stream?.end(summary);
    pointLatest(folder);
    summaries.push(summary);
    if (!together || summaries.length === repetitions) progress.finish(what(seed));
    if (flags.json !== true) watching.say(`${electionHeadlineOf(summary)}\n  ${join(folder, "report.html")}`);
  }
  progress.end();
  if (flags.json !== true) {
    if (summaries.length > 1) for (const line of aligned(acrossElections(summaries))) watching.say(line);
    for (const line of metBy(summaries)) watching.say(line);
    const minutes = (performance.now() - since) / 60e3;
    if (runtime !== "sim")
      watching.say(`  ${summaries.length} live in ${minutes.toFixed(1)} min, reports included`);
  }
  if (flags.json === true) console.log(JSON.stringify(repetitions === 1 ? summaries[0] : summaries, null, 1));
  return stop.signal.aborted ? EXIT.interrupted : exitCodeOf(summaries);
}

/** What was expected of all and is so, told once, by the last of them. */
function metBy(summaries: readonly ElectionSummary[]): readonly string[] {
  const last = summaries.at(-1)?.expectations ?? [];
  return last.filter(({ met }) => met).map(({ what, found }) => `  holds: ${what}: ${found}`);
}

function runtimeOf(given: string | undefined): Runtime {
  const runtime = RUNTIMES_OF_MEMBERS.find((one) => one === (given || "sim"));
  if (runtime !== undefined) return runtime;
  throw new RefusedInput(`--runtime: members run in ${RUNTIMES_OF_MEMBERS.join(" or ")}, not in "${given}"`);
}

function demandPlane(engine: string | undefined): void {
  if (engine === undefined || engine === "" || engine === "plane") return;
  if (engine !== "netem") throw new RefusedInput(`--engine: there is no "${engine}"; members take the plane`);
  throw new RefusedInput("--engine: netem carries no multicast between machines, so members take the plane");
}
