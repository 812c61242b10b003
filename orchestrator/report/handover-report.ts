/** The page of leaders that give their place away: experiment by experiment what was asked and found. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Provenance } from "../recording/provenance.ts";
import type { Tested } from "./announce-report.ts";
import { html, table } from "./page/markup.ts";
import { badge, making, page, paragraph, pictured, type Section } from "./page/page.ts";
import { drawAll } from "./run-report.ts";

export interface ExperimentFound extends Tested {
  readonly title: string;
  readonly question: string;
}

export async function writeHandoverReport(
  folder: string,
  provenance: Provenance,
  found: readonly ExperimentFound[],
): Promise<void> {
  const sections: Section[] = [];
  for (const { title, question, figures, numbers, checks } of found) {
    const drawn = await drawAll(folder, figures);
    const checked = checks.map(({ what, holds }) => [what, badge(holds ? "valid" : "invalid")]);
    const rows = numbers.rows.map((row) => row.map((cell) => cell ?? ""));
    sections.push({
      title,
      content: [
        paragraph(question),
        table(["checked", ""], checked, "text"),
        ...drawn.map(pictured),
        html`<details><summary>Numbers</summary>${table(numbers.columns, rows, "text")}</details>`,
      ],
    });
  }
  sections.push(making(provenance));
  const all = found.flatMap(({ checks }) => checks);
  const held = all.filter(({ holds }) => holds).length;
  const lead = html`<p>${held} of ${all.length} checks hold. Virtual time.</p>`;
  writeFileSync(join(folder, "report.html"), page("Leaders that give their place away", lead, sections));
  const plain = found.map(({ figures, ...rest }) => ({ ...rest, charts: figures.map(({ name }) => name) }));
  const text = { format: "polebench handovers 1", provenance, experiments: plain };
  writeFileSync(join(folder, "handovers.json"), `${JSON.stringify(text, null, 1)}\n`);
}
