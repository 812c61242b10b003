/**
 * The published page: made of a template and of data that is kept beside it. A line `{{table data.json}}`
 * becomes the table, `{{text file.txt}}` what a command printed, `{{state data.json}}` which code and which
 * command made it. What the prose says besides must be in the data of its section, unless its paragraph
 * begins with the words that say that no data was kept, and of which commit it is.
 */

import type { Attempt } from "../bench/attempt-file.ts";
import { compare, printComparison, type Repetition, repetitionsOf } from "../bench/comparison.ts";
import { KILL_COLUMNS, killCells, type KilledKindRows } from "../report/kills-report.ts";
import { PEERS_COLUMNS, peersCells, type PeersRow } from "../report/peers-report.ts";
import type { Agreement } from "../report/agreement.ts";
import type { Difference } from "../statistics/comparison.ts";
import { LEVEL } from "../statistics/middle.ts";
import { markdown } from "../terminal/table.ts";
import { has, measuredIn, numbersIn } from "./numbers.ts";

/** By path from the page's folder; throws where there is none. */
export type ReadData = (path: string) => string;

/** The page, or throws what is wrong with the template. */
export function pageFrom(template: string, read: ReadData): string {
  return template.replace(DIRECTIVE, (_, what: string, path: string) => {
    if (what === "text") return `\`\`\`\n${read(path).trimEnd()}\n\`\`\``;
    const data = JSON.parse(read(path)) as Data;
    return what === "state" ? stateOf(data, path) : tableOf(data, path);
  });
}

/** What on the page follows from nothing that is kept. */
export function unfounded(template: string, page: string, read: ReadData): readonly string[] {
  const sections = template.split(/^(?=## )/m);
  return sections.flatMap((section) => {
    const [title = ""] = section.split("\n", 1);
    const data = [...section.matchAll(DATA)].flatMap(([, , path = ""]) => numbersIn(read(path)));
    const shown = pageFrom(section, read);
    if (!page.includes(shown)) return [`${title || "its beginning"}: the page is not what its data makes`];
    const prose = section.replace(DIRECTIVE, "");
    const blocks = prose.split(/\n\s*\n/).filter((block) => !NOT_KEPT.test(block.trim()));
    return blocks
      .flatMap(measuredIn)
      .filter((written) => !has(data, written))
      .map((written) => `${title || "its beginning"}: ${written} is in none of its data`);
  });
}

/** Of a page that a command made of this data: what is in it and not in the data. */
export function notIn(data: string, page: string): readonly string[] {
  const numbers = numbersIn(data);
  return measuredIn(page).filter((written) => !has(numbers, written));
}

/** Of a text without data, as the README: all that is measured in it. */
export const measuredWithoutData = (text: string): readonly string[] =>
  text
    .split(/\n\s*\n/)
    .filter((block) => !block.split("\n").every((line) => /^(?: {4}|$)/.test(line)))
    .flatMap(measuredIn);

interface Data {
  /** Of a bench, since its attempts are kept. */
  readonly attempts?: readonly Attempt[];
  readonly flags?: { readonly system: readonly string[]; readonly repetitions: number };
  readonly kinds?: readonly KilledKindRows[];
  readonly topologies?: readonly { readonly name: string; readonly arms: readonly PeersRow[] }[];
  readonly agreements?: readonly Agreement[];
  readonly repetitions?: readonly Repetition[];
  readonly figures?: readonly {
    readonly figure: string;
    readonly comparison: readonly Record<"what" | "paper" | "physics" | "here", string>[];
    readonly checks: readonly { readonly holds: boolean }[];
  }[];
  readonly arms?: readonly ArmData[];
  readonly differ?: number;
  readonly comparisons?: number;
  readonly found?: readonly (readonly Pick<Difference, "quantity" | "p" | "sameness">[])[];
  readonly provenance?: Readonly<Record<string, string>>;
  readonly made?: Readonly<Record<string, string | Readonly<Record<string, string | number>>>>;
  readonly machine?: Readonly<Record<string, string | number>>;
  readonly state?: string;
}

interface ArmData {
  readonly arm: string;
  readonly runs: number;
  readonly leaders: readonly (number | null)[];
  readonly meanAfterMs: Told;
  readonly outageMs: Told;
  readonly modelMs: number | null;
}

/** Of comparisons of before, a mean; since, a median. */
type Told = { readonly mean?: number; readonly middle?: number } | null;

function tableOf(data: Data, path: string): string {
  const { repetitions, attempts, flags, kinds, topologies, figures, arms, found, agreements } = data;
  if (found !== undefined) return noiseTable(data, found);
  if (repetitions !== undefined) return benchTable(repetitions, ["zookeeper"]);
  if (attempts !== undefined && flags !== undefined) {
    const others = flags.system.filter((arm) => arm !== OURS);
    return [
      benchTable(repetitionsOf(attempts, flags.repetitions), others),
      "",
      ...attemptsTold(attempts),
    ].join("\n");
  }
  if (kinds !== undefined)
    return titled(kinds.map((one) => [one.kind, markdown(KILL_COLUMNS, killCells(one.arms))]));
  if (topologies !== undefined)
    return titled(
      topologies.map((one) => [
        one.name,
        markdown(
          PEERS_COLUMNS,
          one.arms.map((row) => peersCells(row).map(String)),
        ),
      ]),
    );
  if (agreements !== undefined) return titled(agreements.map((one) => [labelOf(one), agreementTable(one)]));
  if (figures !== undefined) {
    const rows = figures.flatMap(({ figure, comparison, checks }) => {
      const held = checks.filter(({ holds }) => holds).length;
      const told = `${held} of ${checks.length}`;
      return comparison.map(({ what, paper, physics, here }, index) => [
        figure,
        what,
        paper,
        physics,
        here,
        index === 0 ? told : "",
      ]);
    });
    return markdown(["figure", "what", "the paper", "physics", "here", "checks that hold"], rows);
  }
  if (arms === undefined) throw new Error(`${path}: no table is known of such data`);
  const ms = (told: Told, digits: number): string =>
    told === null ? "" : `${(told.middle ?? told.mean ?? Number.NaN).toFixed(digits)} ms`;
  return markdown(
    ["", "runs", "leader", "mean, after the kill", "physics", "outage"],
    arms.map(({ arm, runs, leaders, meanAfterMs, outageMs, modelMs }) => [
      arm,
      String(runs),
      leaders.map((leader) => `p${leader ?? "?"}`).join(", "),
      ms(meanAfterMs, 1),
      modelMs === null ? "" : modelMs.toFixed(1),
      ms(outageMs, 0),
    ]),
  );
}

const OURS = "polebench";

function benchTable(repetitions: readonly Repetition[], others: readonly string[]): string {
  const told = printComparison(compare(repetitions, OURS, others), OURS, others);
  return `\`\`\`\n${told.trimEnd()}\n\`\`\``;
}

/** What was measured in vain, and why. */
function attemptsTold(attempts: readonly Attempt[]): readonly string[] {
  const invalid = attempts.filter(({ judgement }) => judgement === "invalid");
  const lines = invalid.map(
    ({ arm, scenario, repetition, reason }) => `- ${arm}, ${scenario}, repetition ${repetition}: ${reason}`,
  );
  return [`${attempts.length - invalid.length} of ${attempts.length} attempts count.`, ...lines];
}

const titled = (tables: readonly (readonly [title: string, table: string])[]): string =>
  tables.map(([title, told]) => `**${title}**\n\n${told}`).join("\n\n");

const labelOf = ({ of, runs, inSample, machine }: Agreement): string =>
  `${of}, ${runs} runs (${inSample ? "the simulator was fitted to such runs" : "out of sample"}); ${machine}`;

const agreementTable = ({ quantities }: Agreement): string =>
  markdown(
    ["", "live", "simulated", "ratio", ""],
    quantities.map(({ name, live, simulated, ratio, agreed }) => [
      name,
      live,
      simulated,
      ratio?.toFixed(3) ?? "",
      agreed,
    ]),
  );

function noiseTable({ differ, comparisons }: Data, found: NonNullable<Data["found"]>): string {
  const names = [...new Set(found.flat().map(({ quantity }) => quantity))];
  const rows = names.map((name) => {
    const own = found.flat().filter(({ quantity }) => quantity === name);
    const count = (is: (one: (typeof own)[number]) => boolean): string => String(own.filter(is).length);
    return [name, count(({ p }) => p <= LEVEL), count(({ sameness }) => sameness === "same")];
  });
  return [
    markdown(["", "differ", "shown to be the same within 5 %"], rows),
    "",
    `${differ} of ${comparisons} comparisons differ in anything.`,
  ].join("\n");
}

function stateOf({ provenance, made, machine, state }: Data, path: string): string {
  const facts: Readonly<Record<string, string | number>> =
    provenance ?? (made && flat(made)) ?? machine ?? {};
  const { command, startedAt, commit, sources, kernel, ...rest } = facts;
  const code = commit === undefined ? state : `commit ${commit}, sources ${sources}`;
  if (code === undefined) throw new Error(`${path}: of which state it is stands neither in it nor beside it`);
  const how = [
    command === undefined ? "" : `\`${command}\``,
    startedAt ?? "",
    `kernel ${kernel ?? "not told"}`,
  ];
  const on =
    rest["machine"] ??
    (rest["processors"] === undefined ? "" : `${rest["processors"]} x ${rest["processor"]}`);
  return `*State: ${[code, ...how, on].filter((part) => part !== "").join("; ")}. Data: [${path}](${path}).*`;
}

/** Of what is told in parts, the machine's; settings are in the data. */
function flat(made: NonNullable<Data["made"]>): Readonly<Record<string, string | number>> {
  const told = Object.entries(made).flatMap(([name, fact]) =>
    typeof fact === "string" ? [[name, fact]] : [],
  );
  const { machine } = made;
  return {
    ...(typeof machine === "object" && machine),
    ...(Object.fromEntries(told) as Record<string, string>),
  };
}

const DIRECTIVE = /^\{\{(table|text|state) (\S+)\}\}$/gm;
/** Data that is not shown whole may be named too. */
const DATA = /^(?:\{\{|<!-- )(table|text|state|data) (\S+?)(?:\}\}| -->)$/gm;
const NOT_KEPT = /^(?:- )?\*No data kept, commit `[0-9a-f]{7,}`/;
