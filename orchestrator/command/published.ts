/** `polebench published`: makes the published page of the data that is kept, or says what does not follow. */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { EXIT } from "#node/core/exit-code.ts";
import { measuredWithoutData, notIn, pageFrom, unfounded } from "../published/page.ts";

const ROOT = new URL("../../", import.meta.url);

export function addPublished(program: Command): void {
  program
    .command("published")
    .description("makes reports/published/README.md of page.md and the data beside it")
    .option("--check", "rewrites nothing, and says which numbers there and in README.md follow from no data")
    .action(({ check }: { readonly check?: boolean }) => {
      process.exitCode = published(check === true);
    });
}

function published(isCheck: boolean): number {
  const text = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
  const read = (path: string): string => text(`reports/published/${path}`);
  const template = read("page.md");
  const page = pageFrom(template, read);
  const file = new URL("reports/published/README.md", ROOT);
  if (!isCheck) writeFileSync(file, page);
  const wrong = [
    ...unfounded(template, read("README.md"), read).map((one) => `reports/published/README.md: ${one}`),
    ...notIn(read("paper/paper.json"), read("paper/README.md")).map(
      (one) => `reports/published/paper/README.md: ${one} is not in paper.json`,
    ),
    ...measuredWithoutData(text("README.md")).map((one) => `README.md: ${one} follows from no data`),
  ];
  for (const one of wrong) console.log(one);
  if (wrong.length > 0) return EXIT.failed;
  console.log(`every number follows from what is kept: ${fileURLToPath(file)}`);
  return EXIT.passed;
}
