/**
 * What a sweep says: where each oracle loses to physics, by how much, and on what kind of map. A loss of the
 * mean has two parts: another leader would have been better, and the leader that there was did not serve as
 * the ways allow. That of the outage is what it took above the ways alone.
 */

import { deviation, mean, quantile } from "../statistics/summary.ts";
import { KIND_NAMES } from "./maps.ts";
import type { Row } from "./row.ts";

export interface Spread {
  readonly count: number;
  readonly mean: number;
  /** 95 % of the mean, by the normal distribution. */
  readonly low: number;
  readonly high: number;
  readonly p95: number;
  readonly most: number;
}

/** Of one arm on maps of one kind. */
export interface ArmFinding {
  readonly arm: string;
  readonly kind: string;
  readonly trials: number;
  readonly valid: number;
  /** Another leader would have been better by so much, in milliseconds of the mean. */
  readonly choice: Spread | null;
  /** And as a part of the best mean. */
  readonly choiceShare: Spread | null;
  /** What was measured above what the ways allow that leader. */
  readonly service: Spread | null;
  readonly outage: Spread | null;
  /** Of the valid, in how many one of those was elected that the oracle holds for best. */
  readonly asExpected: number | null;
}

export const ALL = "all maps";
/** The load of one site is more than that of all others. */
const isSkewed = ({ load_share }: Row): boolean => load_share > 0.5;

export class Findings {
  readonly #groups = new Map<string, Gathered>();
  readonly #worst: Row[] = [];
  readonly #wrong: Row[] = [];
  trials = 0;

  add(row: Row): void {
    this.trials += 1;
    for (const kind of [ALL, row.kind, isSkewed(row) ? "load: most of one site" : "load: of several sites"]) {
      const key = `${armOf(row)}\n${kind}`;
      const group = this.#groups.get(key) ?? new Gathered();
      this.#groups.set(key, group);
      group.add(row);
    }
    if (row.verdict !== "valid") {
      if (this.#wrong.length < LISTED) this.#wrong.push(row);
    } else this.#rank(row);
  }

  /** By arm, and within it all maps first. */
  all(): readonly ArmFinding[] {
    const found = [...this.#groups].map(([key, group]) => {
      const [arm = "", kind = ""] = key.split("\n");
      return { arm, kind, ...group.finding() };
    });
    const order = [ALL, ...KIND_NAMES] as readonly string[];
    const place = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
    return found.sort(
      (a, b) => a.arm.localeCompare(b.arm) || place(a.kind) - place(b.kind) || a.kind.localeCompare(b.kind),
    );
  }

  /** Valid trials that lost most of their mean to another leader. */
  get worst(): readonly Row[] {
    return this.#worst;
  }

  /** The first that were no results. */
  get wrong(): readonly Row[] {
    return this.#wrong;
  }

  #rank(row: Row): void {
    const loss = choiceOf(row) ?? 0;
    if (loss <= 0) return;
    this.#worst.push(row);
    this.#worst.sort((a, b) => (choiceOf(b) ?? 0) - (choiceOf(a) ?? 0));
    this.#worst.length = Math.min(this.#worst.length, LISTED);
  }
}

const LISTED = 20;

export const armOf = ({ oracle, election }: Pick<Row, "oracle" | "election">): string =>
  election === "pole" ? oracle : `${oracle}, ${election}`;

export const choiceOf = ({ model_after_ms, best_after_ms }: Row): number | null =>
  model_after_ms === null || best_after_ms === null ? null : model_after_ms - best_after_ms;

class Gathered {
  #trials = 0;
  #valid = 0;
  #judged = 0;
  #expected = 0;
  readonly #choice: number[] = [];
  readonly #choiceShare: number[] = [];
  readonly #service: number[] = [];
  readonly #outage: number[] = [];

  add(row: Row): void {
    this.#trials += 1;
    if (row.verdict !== "valid") return;
    this.#valid += 1;
    const choice = choiceOf(row);
    if (choice !== null) this.#choice.push(choice);
    if (choice !== null && row.best_after_ms) this.#choiceShare.push(choice / row.best_after_ms);
    if (row.mean_after_ms !== null && row.model_after_ms !== null)
      this.#service.push(row.mean_after_ms - row.model_after_ms);
    if (row.outage_ms !== null && row.outage_floor_ms !== null)
      this.#outage.push(row.outage_ms - row.outage_floor_ms);
    if (row.as_expected === null) return;
    this.#judged += 1;
    this.#expected += row.as_expected;
  }

  finding(): Omit<ArmFinding, "arm" | "kind"> {
    return {
      trials: this.#trials,
      valid: this.#valid,
      choice: spreadOf(this.#choice),
      choiceShare: spreadOf(this.#choiceShare),
      service: spreadOf(this.#service),
      outage: spreadOf(this.#outage),
      asExpected: this.#judged === 0 ? null : this.#expected / this.#judged,
    };
  }
}

export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = mean(values);
  const error = (1.96 * deviation(values)) / Math.sqrt(values.length);
  return {
    count: values.length,
    mean: middle,
    low: middle - error,
    high: middle + error,
    p95: quantile(sorted, 0.95),
    most: quantile(sorted, 1),
  };
}
