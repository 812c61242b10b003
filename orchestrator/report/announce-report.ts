/**
 * The page of announce-listen elections beside their theory: claim by claim what the thesis says, what is
 * right, formula beside measurement, and whether they agree. Once as HTML, once as Markdown.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Provenance } from "../recording/provenance.ts";
import { markdown } from "../terminal/table.ts";
import type { Figure, Table } from "./chart/figure.ts";
import { html, type Markup, table } from "./page/markup.ts";
import { badge, making, page, paragraph, pictured, type Section } from "./page/page.ts";
import { drawAll } from "./run-report.ts";
import { printJunit } from "./table-text.ts";

/** What came of an experiment: pictures, numbers, and what had to hold. */
export interface Tested {
  readonly figures: readonly Figure[];
  readonly numbers: Table;
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
}

export interface ClaimTested extends Tested {
  readonly name: string;
  readonly says: string;
  readonly verdict: string;
}

export async function writeAnnounceReport(
  folder: string,
  conditions: string,
  provenance: Provenance,
  claims: readonly ClaimTested[],
): Promise<void> {
  const title = "Announce-listen elections beside their theory";
  const sections: Section[] = [];
  for (const claim of claims) {
    const drawn = await drawAll(folder, claim.figures);
    sections.push({ title: headOf(claim), content: [...about(claim), ...drawn.map(pictured)] });
  }
  sections.push(making(provenance));
  const lead = html`<p>${summaryOf(claims)} ${conditions}.</p>`;
  writeFileSync(join(folder, "report.html"), page(title, lead, sections));
  writeFileSync(join(folder, "README.md"), asMarkdown(title, conditions, provenance, claims));
  const findings = claims.flatMap(({ name, checks }) =>
    checks.map(({ what, holds }) => ({
      property: `${name}: ${what}`,
      judgement: holds ? ("valid" as const) : ("invalid" as const),
      operations: 1,
      reasons: holds ? [] : ["it does not hold here"],
    })),
  );
  writeFileSync(join(folder, "junit.xml"), printJunit(title, findings, []));
  const plain = claims.map(({ figures, ...rest }) => ({ ...rest, charts: figures.map(({ name }) => name) }));
  const text = { format: "polebench announce 1", conditions, provenance, claims: plain };
  writeFileSync(join(folder, "announce.json"), `${JSON.stringify(text, null, 1)}\n`);
}

const headOf = ({ name }: ClaimTested): string => (/^[0-9]/.test(name) ? `Figure ${name}` : name);

function summaryOf(claims: readonly ClaimTested[]): string {
  const all = claims.flatMap(({ checks }) => checks);
  return `${all.filter(({ holds }) => holds).length} of ${all.length} checks hold.`;
}

const about = ({ says, verdict, numbers, checks }: ClaimTested): readonly Markup[] => [
  paragraph(`The thesis: ${says}`),
  paragraph(`Here: ${verdict}`),
  table(
    ["checked", ""],
    checks.map(({ what, holds }) => [what, badge(holds ? "valid" : "invalid")]),
    "text",
  ),
  html`<details><summary>Formula beside measurement</summary>
${table(
  numbers.columns,
  numbers.rows.map((row) => row.map((cell) => cell ?? "")),
  "text",
)}</details>`,
];

function asMarkdown(
  title: string,
  conditions: string,
  provenance: Provenance,
  claims: readonly ClaimTested[],
): string {
  const parts = [
    `# ${title}`,
    `${summaryOf(claims)} ${conditions}.`,
    ...claims.flatMap((claim) => [
      `## ${headOf(claim)}`,
      `The thesis: ${claim.says}`,
      `Here: ${claim.verdict}`,
      ...claim.figures.map((figure) => `![${figure.title}](${figure.name}.png)`),
      claim.checks.map(({ what, holds }) => `- ${holds ? "holds" : "**differs**"}: ${what}`).join("\n"),
      markdown(
        claim.numbers.columns,
        claim.numbers.rows.map((row) => row.map((cell) => String(cell ?? ""))),
      ),
    ]),
    "## How it was made",
    Object.entries(provenance)
      .map(([name, value]) => `- ${name}: ${value}`)
      .join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}
