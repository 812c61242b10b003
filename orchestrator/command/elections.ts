/**
 * `polebench elections`: several elections side by side, on the same deployment, by the same oracle: once
 * when the leader dies, and once when whom the oracle would elect next dies in the middle of that.
 */

import type { Command } from "commander";
import { majority } from "#node/core/quorum.ts";
import { milliseconds } from "#node/core/time.ts";
import { DEFAULT_ELECTION, entryOf } from "#node/election/catalog.ts";
import { type OptionName, options } from "#node/election/option-catalog.ts";
import { beyondReach } from "../plan/fault-terms.ts";
import { beyondServers, ELECTION_NAMES, ringOf } from "../plan/election-plan.ts";
import { planTrial, type TrialFlags } from "../plan/flags.ts";
import { cellsOf, type ElectionArm } from "../plan/matrix.ts";
import { optionsOfOracle } from "../plan/oracle-plan.ts";
import { type ServicePlan, withService } from "../plan/plan.ts";
import { runsNeeded } from "../report/comparison-differences.ts";
import { conditions } from "../report/run-page.ts";
import { DEFAULT_SYSTEM } from "../system/catalog.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { choice } from "../topology/model.ts";
import { tellTour } from "../topology/tour.ts";
import { comparisonFolder, runComparison, tellRepetitions } from "./comparison-runner.ts";
import {
  chooseRuntime,
  countOf,
  demandOf,
  type RunFlags,
  thresholdsOf,
  withTrialFlags,
} from "./trial-flags.ts";
import { type WatchFlags, withWatchFlags } from "./watching.ts";

interface ElectionsFlags extends RunFlags, WatchFlags {
  readonly elections: string;
}

type Name = (typeof ELECTION_NAMES)[number];

export function addElections(program: Command): void {
  withWatchFlags(withTrialFlags(program.command("elections")))
    .description("runs several elections in random order with paired seeds; goes on where it was stopped")
    .option("--elections <list>", "names, each once", ELECTION_NAMES.join(","))
    .option("--oracle <name>", "who is a good leader: a name, or ./mine.ts")
    .action(async (flags: ElectionsFlags) => {
      process.exitCode = await elections(flags);
    });
}

async function elections(flags: ElectionsFlags): Promise<number> {
  if (flags.election) throw new RefusedInput("--election: name them with --elections, such as pole,bully");
  if (flags.system && flags.system !== DEFAULT_SYSTEM)
    throw new RefusedInput(`--system: ${flags.system} has an election of its own; see polebench compare`);
  const names = namesOf(flags.elections);
  const runtime = await chooseRuntime(flags, demandOf(flags));
  const plans = names.map((name) => planTrial(forElection(flags, name, names), runtime));
  const [first] = plans as [ServicePlan, ...ServicePlan[]];
  const thresholds = thresholdsOf(flags.threshold ?? [], [...first.topology.sites.keys()]);
  const second = secondDeath(first);
  const armOf = ({ subject: { election } }: ServicePlan): ElectionArm => {
    return { election, name: election.name, module: null, faults: [] };
  };
  const alone = plans.map(armOf);
  const arms =
    typeof second === "string"
      ? alone
      : alone.flatMap((arm) => [arm, { ...arm, name: `${arm.name}, second death`, faults: [second] }]);
  for (const arm of arms) {
    const beyond = beyondReach({ ...first, system: DEFAULT_SYSTEM, faults: arm.faults });
    if (beyond.length > 0) throw new RefusedInput(beyond.join("\n"));
  }
  tellRepetitions(flags, arms.length);
  return runComparison(flags, {
    folder: comparisonFolder("elections", flags, first),
    title: `Elections compared: ${conditions(anyElection(first)).replace(/, seed.*/, "")}`,
    kind: "election",
    arms: arms.map(({ name }) => name),
    cells: cellsOf(first, arms, countOf("repeat", flags.repeat, runsNeeded(arms.length))),
    thresholds,
    notes: [...(typeof second === "string" ? [second] : []), ...toursOf(plans)],
  });
}

/** What all arms have in common. */
const anyElection = (plan: ServicePlan): ServicePlan =>
  withService(plan, { election: { name: DEFAULT_ELECTION } });

/** Each ring that there is, once. */
const toursOf = (plans: readonly ServicePlan[]): readonly string[] => [
  ...new Set(
    plans.flatMap(({ topology, subject }) => {
      const ring = ringOf(subject.election, topology.servers.keys());
      return ring === null ? [] : [tellTour(topology, ring)];
    }),
  ),
];

function namesOf(list: string): readonly Name[] {
  const names = (list || ELECTION_NAMES.join(",")).split(",").map((given): Name => {
    const name = ELECTION_NAMES.find((one) => one === given.trim());
    if (name !== undefined) return name;
    const beyond = beyondServers(given.trim());
    if (beyond !== null) throw new RefusedInput(`--elections: ${beyond}`);
    throw new RefusedInput(
      `--elections: there is no "${given.trim()}"${suggestion(given.trim(), ELECTION_NAMES)}`,
    );
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RefusedInput(`--elections: ${twice} stands there twice`);
  return names;
}

/** With those of the options that it has; one that none of them has is refused as for a single trial. */
function forElection(flags: TrialFlags, name: Name, names: readonly Name[]): TrialFlags {
  const having = (option: OptionName, one: Name): boolean => Object.hasOwn(entryOf(one).options, option);
  const others = options.filter(
    ({ name: option }) => !having(option, name) && names.some((one) => having(option, one)),
  );
  return {
    ...flags,
    election: name,
    ...Object.fromEntries(others.map((option) => [option.name, undefined])),
  };
}

/** While the first election is under way in a wide area, and after it in a local one. */
const SECOND_AFTER = milliseconds(30);

/** Or why there is none. */
function secondDeath({ faults, topology, subject }: ServicePlan) {
  const [death] = faults;
  if (faults.length !== 1 || death?.fault.kind !== "crash" || death.fault.target.kind !== "leader")
    return "Nobody dies second: that needs a plan in which the leader's process dies, and nothing else.";
  if (topology.servers.size - 2 < majority(topology.servers.size))
    return `Nobody dies second: of ${topology.servers.size} servers too few would be left to elect.`;
  const { oracle, firstLeader, workload } = subject;
  if (oracle.module !== null) return "Nobody dies second: whom one's own oracle elects next is not known.";
  const next = choice(topology, oracle.name, [firstLeader], {
    rate: workload.ratePerSecond,
    options: optionsOfOracle(oracle),
  });
  const [server] = next?.tied ?? [];
  if (server === undefined) return "Nobody dies second: whom the oracle elects next is not known.";
  const at = (death.at + SECOND_AFTER) as typeof death.at;
  return { at, fault: { kind: "crash", target: { kind: "server", server } } } as const;
}
