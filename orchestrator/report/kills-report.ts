/**
 * The page of `polebench kills`: for each way of losing the leader the arms side by side, how long nobody was
 * served, the longest of all, and ours as a share of each other's, pair by pair.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KillKind, KILLS } from "../plan/kills.ts";
import { AGAIN } from "../plan/matrix.ts";
import { provenanceOf } from "../recording/provenance.ts";
import { type Middle, middleOf } from "../statistics/middle.ts";
import { aligned } from "../terminal/table.ts";
import { type ComparedRun, leadersOf, type OtherAttempt, outageOf } from "./compared-run.ts";
import { html, table } from "./page/markup.ts";
import { badge, making, page, paragraph, type Section } from "./page/page.ts";

export interface KilledKind {
  readonly kind: KillKind;
  readonly runs: readonly ComparedRun[];
  readonly attempts: readonly OtherAttempt[];
}

export interface Kills {
  /** As it was typed. */
  readonly command: string;
  /** The first is ours: what others are compared with. */
  readonly arms: readonly string[];
  readonly kinds: readonly KilledKind[];
  readonly failed: readonly string[];
}

export interface KilledArm {
  readonly arm: string;
  /** Those that count, of all attempts that there were. */
  readonly runs: number;
  readonly attempts: number;
  /** One of each run that counts: its repetition, how long nobody was served, and whether it was longer. */
  readonly silences: readonly {
    readonly repetition: number;
    readonly ms: number;
    readonly atLeast: boolean;
  }[];
  readonly leaders: string;
  /** Until a write of a later leader was acknowledged; null where none came. */
  readonly outageMs: Middle | null;
}

export interface KilledKindRows {
  readonly kind: KillKind;
  readonly arms: readonly KilledArm[];
}

export function writeKills(folder: string, kills: Kills): { readonly text: string; readonly json: string } {
  const { command, kinds, failed } = kills;
  const made = provenanceOf(
    command,
    kinds.flatMap(({ runs }) => runs.map(({ summary }) => summary.environment)),
  );
  const rows = kinds.map((kind) => killRows(kind, kills.arms));
  const shown = rows.map(({ kind, arms }): Section => {
    const { title } = KILLS[kind];
    return {
      title: `${kind}: ${title}`,
      content: [table(KILL_COLUMNS, killCells(arms)), paragraph(MEANING)],
    };
  });
  const all = kinds.flatMap(({ runs }) => runs);
  const valid = all.filter(isValid).length;
  const others = kinds.flatMap(({ attempts }) => attempts);
  const lead = html`<p>${`${valid} of ${all.length} runs are valid and counted; ${others.length} other \
attempts and ${failed.length} failures are listed below.`}</p>`;
  const text = page("The leader lost, in several ways", lead, [
    ...shown,
    {
      title: "All runs",
      content: [
        table(
          ["run", "verdict", "why it does not count"],
          [
            ...all.map(({ id, folder: own, summary }) => [
              html`<a href="${own}/report.html">${id}</a>`,
              badge(summary.verdict.judgement),
              "",
            ]),
            ...others.map(({ id, name, judgement, reason }) => [`${id}, ${name}`, judgement, reason]),
            ...failed.map((sentence) => [sentence, "failed", ""]),
          ],
          "text",
        ),
      ],
    },
    making(made),
  ]);
  const json = JSON.stringify({ format: "polebench kills 1", made, kinds: rows, failed }, null, 1);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "report.html"), text);
  writeFileSync(join(folder, "kills.json"), `${json}\n`);
  const printed = rows.map(({ kind, arms }) =>
    [`${kind}: ${KILLS[kind].title}`, ...aligned([KILL_COLUMNS, ...killCells(arms)])].join("\n"),
  );
  return { text: printed.join("\n\n"), json };
}

const isValid = ({ summary }: ComparedRun): boolean => summary.verdict.judgement === "valid";

function killRows({ kind, runs, attempts }: KilledKind, arms: readonly string[]): KilledKindRows {
  const again = new Set(runs.map(({ arm }) => arm).filter((arm) => arm.endsWith(AGAIN)));
  return {
    kind,
    arms: [...arms, ...again].map((arm): KilledArm => {
      const own = runs.filter((run) => run.arm === arm);
      const valid = own.filter(isValid);
      const ids = new Set(own.map(({ id }) => id));
      return {
        arm,
        runs: valid.length,
        attempts: own.length + attempts.filter(({ id }) => ids.has(id)).length,
        silences: valid.flatMap(({ repetition, summary: { silence } }) =>
          silence === null ? [] : [{ repetition, ...silence }],
        ),
        leaders: leadersOf(valid),
        outageMs: middleOf(valid.map(outageOf).filter((ms) => ms !== null)),
      };
    }),
  };
}

export const KILL_COLUMNS = [
  "arm",
  "valid runs",
  "attempts",
  "nobody served (ms)",
  "longest (ms)",
  "leads after",
  "until a later leader (ms)",
  "ours to it",
] as const;

/** Of one kind; the first arm is the one whose share is told. */
export const killCells = (arms: readonly KilledArm[]): readonly (readonly string[])[] =>
  arms.map((row, index) => {
    const { arm, runs, attempts, silences, leaders, outageMs } = row;
    const ms = silences.map((one) => one.ms);
    // What was not over is above any median that lies below it, and would be longest.
    const open = silences.filter(({ atLeast }) => atLeast).length;
    const longest = ms.length === 0 ? "" : `${open > 0 ? "at least " : ""}${Math.max(...ms).toFixed(0)}`;
    const ratio = index === 0 ? null : ratioOf(arms[0], row);
    return [
      arm,
      String(runs),
      String(attempts),
      (2 * open >= Math.max(1, ms.length) ? "at least " : "") + told(middleOf(ms), 0),
      longest,
      leaders,
      told(outageMs, 0),
      told(ratio, 3),
    ];
  });

/** Pair by pair, those of the same repetition. What was not over makes a ratio that is not known. */
export function ratioOf(ours: KilledArm | undefined, other: KilledArm): Middle | null {
  const theirs = new Map(other.silences.map((one) => [one.repetition, one]));
  return middleOf(
    (ours?.silences ?? []).flatMap(({ repetition, ms, atLeast }) => {
      const beside = theirs.get(repetition);
      // At least as long as theirs was told makes ours at most that share of it.
      return beside === undefined || atLeast ? [] : [ms / beside.ms];
    }),
  );
}

/** The median, with its interval where there are runs enough for one. */
function told(value: Middle | null, digits: number): string {
  if (value === null) return "";
  const { middle, low, high } = value;
  const print = (one: number): string => one.toFixed(digits);
  return low === null || high === null ? print(middle) : `${print(middle)} (${print(low)} to ${print(high)})`;
}

const MEANING =
  "Nobody served: the longest time in which no client anywhere was acknowledged a write, from the last " +
  "acknowledgement before the loss on. Medians; in parentheses 95 % intervals, from six runs on. What the " +
  "first arm is of each other is taken pair by pair.";
