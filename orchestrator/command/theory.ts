/**
 * `polebench theory`: what the lectures' elections cost, beside what is said of them, and stories of them.
 */

import { join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { Random } from "#node/core/random.ts";
import { type LectureName, lectures } from "#node/theory/catalog.ts";
import {
  type Compared,
  contradictionsOf,
  summaryOf,
  theoryTable,
  writeStory,
  writeTheoryIndex,
  writeTheoryReport,
} from "../report/theory-report.ts";
import { RefusedInput, suggestion } from "../terminal/problem.ts";
import { aligned } from "../terminal/table.ts";
import { anonymityOf, anonymityText, isContradicted } from "../theory/anonymity.ts";
import { caseOf, type CaseFlags, isAnyOrder, lateOf } from "../theory/case.ts";
import { type Costs, costsOf } from "../theory/costs.ts";
import { sizesOf } from "../theory/sizes.ts";
import { tell, transcript } from "../theory/story.ts";
import { commandLine } from "./command-line.ts";
import { Progress } from "./progress.ts";

interface Flags extends CaseFlags {
  readonly algorithm?: string;
  readonly order?: string;
  readonly n?: string;
  readonly out: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** No algorithm: that there is none. */
const ANONYMOUS = "anonymous";
const NAMES = Object.keys(lectures) as readonly LectureName[];

export function addTheory(program: Command): void {
  program
    .command("theory")
    .description("counts what the lectures' elections cost, beside what is said of them")
    .option("--algorithm <names>", [...NAMES, ANONYMOUS].join(", "))
    .option("--n <sizes>", "up to so many processes, or a list such as 5,10,100; 64 when not given")
    .option("--ring <ids>", "one's own, in the direction of travel: a story of this one election")
    .option("--initiators <ids>", "who begin, of a story")
    .option("--dead <ids>", "from the beginning, of a story in which processes may fail; bully: the greatest")
    .option(
      "--late <units>",
      "that a message takes, of a story: in rounds, or beside timeouts, one is assumed",
    )
    .option("--order <name>", "in which messages of a story arrive: step or any, drawn from the seed")
    .option("--seed <number>", "of what is drawn")
    .option("--out <folder>", "where reports go", "reports")
    .option("--json", "print the counts, or the story, as one JSON document")
    .option("--quiet", "no progress")
    .action(async (flags: Flags) => {
      process.exitCode = await theory(flags);
    });
}

async function theory(flags: Flags): Promise<number> {
  if (flags.seed !== undefined && !/^\d{1,9}$/.test(flags.seed))
    throw new RefusedInput(`--seed: "${flags.seed}" is no whole number`);
  if (flags.algorithm === ANONYMOUS) return watchAnonymous(flags);
  const names = namesOf(flags.algorithm);
  const isStory = [flags.ring, flags.initiators, flags.dead, flags.late, flags.order].some(
    (flag) => flag !== undefined,
  );
  if (isStory) return story(names, flags);
  const given = flags.n ?? "64";
  const plans = names.map((name) => ({ name, sizes: sizesOf(given, name, lectures[name].most) }));
  const progress = new Progress(
    plans.map(() => 1),
    flags.quiet === true,
  );
  const found: Compared[] = [];
  for (const { name, sizes } of plans) {
    const lecture = lectures[name];
    const random = new Random(Number(flags.seed ?? 1));
    const costs = sizes.map((n) => {
      progress.begin(`${name}, n = ${n}`);
      return costsOf(lecture, n, random);
    });
    const folder = join(flags.out, "theory", name);
    const example = tell(lecture, lecture.example);
    await writeTheoryReport(folder, { name, lecture, costs, story: example, command: commandLine() });
    progress.finish(name);
    found.push({ name, lecture, costs });
    if (flags.json !== true) print(name, costs, folder);
  }
  progress.end();
  if (found.length > 1) await writeTheoryIndex(join(flags.out, "theory"), found);
  if (flags.json === true)
    console.log(
      JSON.stringify(
        found.map(({ name, costs }) => summaryOf(name, costs)),
        null,
        1,
      ),
    );
  const isWrong = found.some(({ costs }) => contradictionsOf(costs).length > 0);
  return isWrong ? EXIT.failed : EXIT.passed;
}

function namesOf(given: string | undefined): readonly LectureName[] {
  if (!given) return NAMES;
  return given.split(",").map((word) => {
    const name = NAMES.find((one) => one === word.trim());
    if (name !== undefined) return name;
    if (word.trim() === ANONYMOUS)
      throw new RefusedInput(
        `--algorithm: ${ANONYMOUS} is no algorithm but that there is none; ask for it alone`,
      );
    throw new RefusedInput(`--algorithm: there is no "${word}"${suggestion(word, [...NAMES, ANONYMOUS])}`);
  });
}

function watchAnonymous({ n = "6", seed = "1", ring, initiators, late, json }: Flags): number {
  if (ring !== undefined || initiators !== undefined || late !== undefined)
    throw new RefusedInput(`--algorithm: ${ANONYMOUS} takes --n and --seed only; nobody has a name there`);
  const [size, ...others] = /^\d+$/.test(n.trim()) ? sizesOf(n, ANONYMOUS, MOST_ANONYMOUS).slice(-1) : [];
  if (size === undefined || others.length > 0)
    throw new RefusedInput(`--n: "${n}" is no number, and ${ANONYMOUS} looks at one ring`);
  const found = anonymityOf(size, Number(seed));
  console.log(json === true ? JSON.stringify(found, null, 1) : anonymityText(found));
  return isContradicted(found) ? EXIT.failed : EXIT.passed;
}

const MOST_ANONYMOUS = 200;

function story(names: readonly LectureName[], flags: Flags): number {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0)
    throw new RefusedInput(`--algorithm: a story is of one algorithm; name one of ${NAMES.join(", ")}`);
  if (flags.n !== undefined) throw new RefusedInput("--n: a story has the processes of its ring");
  const lecture = lectures[name];
  const late = lateOf(name, lecture, flags.late);
  const anyOrder = isAnyOrder(name, lecture, flags.order) ? new Random(Number(flags.seed ?? 1)) : undefined;
  const told = tell(lecture, caseOf(name, lecture, flags), { late, ...(anyOrder && { anyOrder }) });
  const folder = join(flags.out, "theory", `${name}-story`);
  writeStory(folder, told);
  const { ids, lines, flights, outcome } = told;
  if (flags.json === true)
    console.log(
      JSON.stringify(
        { ids, lines, flights, outcome: { ...outcome, messages: Object.fromEntries(outcome.messages) } },
        null,
        1,
      ),
    );
  else console.log(`${transcript(told)}\n  ${join(folder, "story.html")}`);
  return outcome.leaders.length === 1 && outcome.undecided === 0 ? EXIT.passed : EXIT.failed;
}

function print(name: LectureName, costs: readonly Costs[], folder: string): void {
  const lecture = lectures[name];
  const { columns, rows } = theoryTable({ lecture, costs });
  console.log(`${lecture.title}\n`);
  for (const line of aligned([columns, ...rows], 0)) console.log(line);
  for (const { label, wrong } of lecture.theory.printed)
    if (wrong !== null) console.log(`\nprinted and not so: ${label}; ${wrong}`);
  for (const contradiction of contradictionsOf(costs)) console.log(`\nCONTRADICTED: ${contradiction}`);
  console.log(`\n  ${join(folder, "report.html")}\n`);
}
