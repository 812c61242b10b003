/** `make mutants WORLDS=election`: each mistake of an election beside what is right, as a table. */

import { readFileSync, writeFileSync } from "node:fs";
import { EXIT } from "../../core/exit-code.ts";
import { mistakeOf } from "../../core/mutant.ts";
import { MISTAKES } from "./mutants.ts";

export const PAGE = new URL("../../election/README.md", import.meta.url);
const MARKS = /(?<=<!-- mutants -->\n)[^]*(?=<!-- end of mutants -->)/;

const HEAD = [
  "| election | mutant | what is wrong | where | without it | with it |",
  "|---|---|---|---|---|---|",
];

/** And how many were not found. */
export function tableOfMistakes(): { readonly table: string; readonly survivors: number } {
  let survivors = 0;
  const rows = MISTAKES.map(({ election, mutant, story, outcome }) => {
    const [right, wrong] = [outcome(null), outcome(mutant)];
    if (right === wrong) survivors += 1;
    const found = right === wrong ? "survived" : wrong;
    return `| ${[election, mutant, mistakeOf(mutant), story, right, found].join(" | ")} |`;
  });
  return { table: [...HEAD, ...rows, ""].join("\n"), survivors };
}

/** The table that the page has. */
export const keptTable = (): string => MARKS.exec(readFileSync(PAGE, "utf8"))?.[0] ?? "";

function main(argv: readonly string[]): number {
  const { table, survivors } = tableOfMistakes();
  console.log(table);
  if (argv.includes("--write"))
    writeFileSync(
      PAGE,
      readFileSync(PAGE, "utf8").replace(MARKS, () => table),
    );
  console.log(`${MISTAKES.length - survivors} passed, ${survivors} failed`);
  return survivors === 0 ? EXIT.passed : EXIT.failed;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
