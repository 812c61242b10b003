/**
 * In what order do the oracles of a sweep stand? Physics gives each the latency of the leader that it
 * elected. Where two are further apart than 5 % + 0.3 ms, measurements must put them in the same order. Where
 * they are not, they are a tie: no order is asked of them, only that they stay together.
 *
 * That much the paper's own theta_l misses where two leaders are nearly as good: scores leave the dead leader
 * out, and with it its clients, who are about to move to its neighbour.
 */

import type { OracleName } from "#node/oracle/catalog.ts";
import { mean } from "../statistics/summary.ts";
import { printNumber } from "../report/chart/style.ts";
import { ACCURACY, type Check, type ExperimentRun } from "./experiment.ts";
import { type LoadSweep, offersAt, type Quantity, runsAt, SHARES, sweepValue } from "./load-sweep.ts";

/** Two oracles at one p; physics puts the first one before the second, or both in one place. */
interface Pair {
  readonly p: number;
  readonly first: OraclePlace;
  readonly second: OraclePlace;
  readonly isTie: boolean;
}

interface OraclePlace {
  readonly oracle: OracleName;
  readonly physicsMs: number;
  readonly measuredMs: number;
}

/** The whole order of all oracles, at every p. */
export function orderedAsPhysics(
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  quantity: Quantity,
): Check {
  const pairs = pairsOf(runs, sweep, quantity);
  const [ties, ordered] = [pairs.filter(({ isTie }) => isTie), pairs.filter(({ isTie }) => !isTie)];
  const swapped = ordered.filter(({ first, second }) => !(first.measuredMs < second.measuredMs));
  const apart = ties.filter((tie) => !(gapOf(tie) <= mayBeApart(tie)));
  const widest = ties.toSorted((a, b) => gapOf(b) - gapOf(a))[0];
  const parts = [
    `the oracles' whole order at every p is that of physics in ${ordered.length - swapped.length} of ` +
      `${ordered.length} pairs`,
    ...(swapped.length === 0 ? [] : [`not in ${swapped.map(tell).join(", ")}`]),
    `${ties.length} more are ties within ${TIE}` +
      (widest === undefined ? "" : `, the widest measured ${tell(widest)}`),
    ...(apart.length === 0 ? [] : [`too far apart for a tie: ${apart.map(tell).join(", ")}`]),
  ];
  return { what: parts.join("; "), holds: ordered.length > 0 && swapped.length + apart.length === 0 };
}

/** Nobody is faster at any p, ties apart. */
export function isBestEverywhere(
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  oracle: OracleName,
  quantity: Quantity,
): boolean {
  const own = pairsOf(runs, sweep, quantity).filter(({ first, second }) =>
    [first.oracle, second.oracle].includes(oracle),
  );
  const isBest = ({ first, second, isTie }: Pair): boolean => {
    const [mine, other] = first.oracle === oracle ? [first, second] : [second, first];
    return isTie || mine.measuredMs < other.measuredMs;
  };
  return own.length > 0 && own.every(isBest);
}

function pairsOf(runs: readonly ExperimentRun[], sweep: LoadSweep, quantity: Quantity): readonly Pair[] {
  return SHARES.flatMap((p) => {
    const places = sweep.oracles
      .map((oracle) => ({
        oracle,
        physicsMs: physicsAt(runs, sweep, oracle, p, quantity),
        measuredMs: sweepValue(runs, sweep, oracle, p, quantity),
      }))
      .sort((a, b) => a.physicsMs - b.physicsMs);
    return places.flatMap((first, index) =>
      places.slice(index + 1).map((second) => ({
        p,
        first,
        second,
        isTie: second.physicsMs <= first.physicsMs * (1 + TIE_SHARE) + TIE_MS,
      })),
    );
  });
}

/** Of the leaders that there were; ties may have elected another one in each run. */
export const physicsAt = (
  runs: readonly ExperimentRun[],
  sweep: LoadSweep,
  oracle: OracleName,
  p: number,
  quantity: Quantity,
): number => physicsOf(runsAt(runs, sweep, oracle, p), sweep, p, quantity);

const physicsOf = (runs: readonly ExperimentRun[], sweep: LoadSweep, p: number, quantity: Quantity): number =>
  mean(
    runs.map((run) => offersAt(run, sweep, p, quantity).get(run.summary.leaders.after ?? 0) ?? Number.NaN),
  );

const gapOf = ({ first, second }: Pair): number => Math.abs(first.measuredMs - second.measuredMs);

/** As physics may have it, and as much again as a mean may stray. */
const mayBeApart = ({ first, second }: Pair): number => {
  const least = Math.min(first.measuredMs, second.measuredMs);
  return TIE_MS + ACCURACY.ms + (TIE_SHARE + ACCURACY.share) * least;
};

function tell({ p, first, second }: Pair): string {
  const places = [first, second].map(({ oracle, measuredMs }) => `${oracle} ${printNumber(measuredMs)}`);
  return `${places.join(" and ")} ms at p = ${p}`;
}

const TIE_SHARE = 0.05;
const TIE_MS = 0.3;
const TIE = "5 % + 0.3 ms";
