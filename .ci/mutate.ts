// Do the tests of a room see small mistakes? Makes mutants of its files, and tries each with the room's quick
// tests until one fails: IN=check SAMPLE=60 SEED=1. Not part of `make test`, because it takes minutes.
//
// Why a tool of ours: the compiler that is here already gives the tree, the types and a check of a changed
// file in milliseconds, Node's loader hooks give a module another text without a copy of the project, and V8
// tells which tests come where. StrykerJS 10 would bring some hundred packages for that, tries what no
// compiler would take, and knows nothing of lanes.
import { setPriority } from "node:os";
import { Compiler } from "./mutate/compiler.ts";
import { Judge, type Verdict } from "./mutate/judge.ts";
import { filesOf, roomOf } from "./mutate/rooms.ts";
import { sampleOf } from "./mutate/sample.ts";
import { endAll } from "./mutate/trial.ts";

const { IN: name = "", SAMPLE: sample = "60", SEED: seed = "1", JOBS: jobs = "2" } = process.env;

function refuse(why: string): never {
  console.error(`mutate: ${why}`);
  process.exit(64);
}

const count = sample === "all" ? Infinity : Number(sample);
if (!(count >= 1)) refuse(`SAMPLE=${sample} is no number of mutants, and not "all"`);
if (!(Number(jobs) >= 1)) refuse(`JOBS=${jobs} is no number of processes`);
if (name === "") refuse("which room? IN=check, IN=node/wire, or a file");
const room = roomOf(name) ?? refuse(`there is no room "${name}" in node/ or orchestrator/`);

setPriority(10);
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(code);
  });
}
const files = filesOf(room);
const { mutants, possible } = ((): ReturnType<typeof sampleOf> => {
  using compiler = new Compiler();
  return sampleOf(compiler, files, count, seed);
})();
console.log(`${room}: ${mutants.length} of about ${possible} mutants in ${files.length} files, seed ${seed}`);
const judge = new Judge(room, files, Number(jobs));
await judge.prepare(mutants.map(({ path }) => path));

const verdicts: Verdict[] = [];
const waiting = mutants.values();
const tell = (verdict: Verdict): void => {
  verdicts.push(verdict);
  const { mutant, ending, by } = verdict;
  if (ending === "killed") return;
  const shown = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 70);
  console.log(`${ending.padEnd(9)} ${mutant.path}:${mutant.line} (${mutant.kind}) ${by}`);
  console.log(`          - ${shown(mutant.was)}\n          + ${shown(mutant.instead)}`);
};
await Promise.all(
  Array.from({ length: Number(jobs) }, async () => {
    for (const mutant of waiting) tell(await judge.of(mutant));
  }),
);

const titles = ["mutants", "killed", "timed out", "survived", "unreached"];
const columns = (of: readonly (string | number)[]): string =>
  of.map((each) => String(each).padStart(10)).join("");
const numbers = (of: readonly Verdict[]): string => {
  const times = (ending: Verdict["ending"]): number => of.filter((each) => each.ending === ending).length;
  const [killed, timedOut] = [times("killed"), times("timed out")];
  const share = `${((100 * (killed + timedOut)) / of.length).toFixed(0)}%`;
  return columns([of.length, killed, timedOut, times("survived"), times("unreached"), share]);
};
const width = Math.max(...files.map((path) => path.length));
console.log(`\n${"".padEnd(width)}${columns([...titles, "dead"])}`);
const byFile = Map.groupBy(verdicts, ({ mutant }) => mutant.path);
for (const path of files) {
  const of = byFile.get(path);
  if (of !== undefined) console.log(path.padEnd(width) + numbers(of));
}
console.log(room.padEnd(width) + numbers(verdicts));
