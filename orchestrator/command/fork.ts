/** `polebench fork`: a run in virtual time with another future from a moment on, both on one page. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Duration } from "#node/core/time.ts";
import { EXIT } from "#node/core/exit-code.ts";
import type { TimedFault } from "../fault/fault.ts";
import { parseFault, printTimedFault } from "../fault/words.ts";
import { conclude } from "../measure/conclude.ts";
import { beyondReach } from "../plan/fault-terms.ts";
import { oraclePlan } from "../plan/oracle-plan.ts";
import type { OraclePlan, ServicePlan } from "../plan/plan.ts";
import { isServiceRecording } from "../recording/recording.ts";
import { readRecording } from "../recording/run-folder.ts";
import { headlineOf } from "../report/headline.ts";
import { fork, type Turn } from "../runner/virtual/fork.ts";
import { interruption } from "../terminal/interrupted.ts";
import { RefusedInput } from "../terminal/problem.ts";
import { DURATION, duration } from "../topology/quantity.ts";
import { pageOf } from "../view/document.ts";
import { recordsOf } from "../view/from-recording.ts";
import type { StreamRecord } from "../view/record.ts";
import { collect } from "./trial-flags.ts";

interface ForkFlags {
  readonly at: string;
  readonly fault: readonly string[];
  readonly instead?: boolean;
  readonly oracle?: string;
  readonly preference?: string;
}

export function addFork(program: Command): void {
  program
    .command("fork <folder>")
    .description(
      "a run in virtual time with another future from a moment on: both side by side, in fork.html",
    )
    .requiredOption("--at <duration>", "since the load began, such as 10s")
    .option(
      "--fault <words>",
      "happens then, such as 'crash leader', 'link slac fnal 100ms'; or later",
      collect,
      [],
    )
    .option("--instead", "what was planned from then on does not happen")
    .option("--oracle <name>", "servers judge by it from then on: a name, or ./mine.ts")
    .option("--preference <list>", "best first, such as p3,p4; for the oracle of that name")
    .action(async (folder: string, flags: ForkFlags) => {
      process.exitCode = await forked(folder, flags);
    });
}

async function forked(folder: string, flags: ForkFlags): Promise<number> {
  const recording = readRecording(folder);
  if (!isServiceRecording(recording) || recording.plan.runtime !== "sim")
    throw new RefusedInput(`${folder}: only a service in virtual time has another future: take RUNTIME=sim`);
  const { plan } = recording;
  const turn = turnOf(plan, flags);
  using stop = interruption();
  const { asItWas, turned } = await fork(plan, turn, stop.signal);
  const name = nameOf(turn, flags);
  const trials = [
    { name: "As it was", records: recordsOf(asItWas) },
    { name, records: recordsOf(turned).map(withoutModel) },
  ];
  const file = join(folder, "fork.html");
  writeFileSync(file, pageOf(`${plan.topology.name}, two futures`, trials).text);
  console.log(`as it was: ${firstLine(headlineOf(conclude(asItWas).summary))}`);
  console.log(`${name}: ${firstLine(headlineOf(conclude(turned).summary))}\n  ${file}`);
  return stop.signal.aborted ? EXIT.interrupted : EXIT.passed;
}

/** What the plan led one to expect says nothing of a future that was not planned. */
const withoutModel = (record: StreamRecord): StreamRecord =>
  record.kind === "end" ? { ...record, headline: firstLine(record.headline), expectedLeaders: [] } : record;

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

function turnOf(plan: ServicePlan, flags: ForkFlags): Turn {
  if (!DURATION.test(flags.at)) throw new RefusedInput(`--at: "${flags.at}" is no time such as 10s`);
  const at = duration(flags.at);
  if (at >= plan.phases.duration)
    throw new RefusedInput(`--at: the load is over at ${plan.phases.duration / 1e6}s`);
  const faults = flags.fault.map((words) => faultOf(words, plan, at));
  const [beyond] = beyondReach({ runtime: "sim", system: plan.subject.system, faults });
  if (beyond !== undefined) throw new RefusedInput(`--fault: ${beyond}`);
  const oracle = flags.oracle === undefined ? null : oracleOf(flags.oracle, flags.preference, plan);
  if (faults.length === 0 && oracle === null && flags.instead !== true)
    throw new RefusedInput("nothing is to change: give --fault, --oracle or --instead");
  return { at, faults, instead: flags.instead === true, oracle };
}

/** Words that begin with a time have their own. */
function faultOf(words: string, { topology, phases }: ServicePlan, at: Duration): TimedFault {
  const timed = DURATION.test(words.trim().split(/\s+/, 1)[0] ?? "") ? words : `${at}us ${words}`;
  const parsed = parseFault(timed, topology);
  if (typeof parsed === "string") throw new RefusedInput(`--fault: ${parsed}`);
  if (parsed.at < at)
    throw new RefusedInput(`--fault: "${words}" is before ${at / 1e6}s, where the past ends`);
  if (parsed.at >= phases.duration) throw new RefusedInput(`--fault: "${words}" is after the load`);
  return parsed;
}

function oracleOf(name: string, preference: string | undefined, { topology }: ServicePlan): OraclePlan {
  const ranked = (preference ?? "").split(",").flatMap((word) => {
    const server = [...topology.servers.keys()].find((id) => `p${id}` === word.trim());
    if (server === undefined && word !== "")
      throw new RefusedInput(`--preference: there is no server "${word}"`);
    return server ?? [];
  });
  const oracle = oraclePlan(name, ranked);
  if (typeof oracle === "string") throw new RefusedInput(`--oracle: ${oracle}`);
  return oracle;
}

function nameOf({ at, faults, instead, oracle }: Turn, flags: ForkFlags): string {
  const changes = [
    ...(instead ? ["nothing that was planned"] : []),
    ...faults.map(printTimedFault),
    ...(oracle === null ? [] : [`oracle ${flags.oracle}`]),
  ];
  return `From ${at / 1e6} s on: ${changes.join(", ")}`;
}
