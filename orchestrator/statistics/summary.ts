/**
 * Many numbers told in a few. Quantiles are exact: a run has some hundred thousand latencies, which sort in a
 * blink, and nobody has to ask what a histogram's buckets did to the p99.
 *
 * What never ended counts too, with the time for which it is known to have lasted: leaving it out would make
 * a service faster by losing what is slow. A quantile stands as long as what has ended decides it alone; from
 * there on it is known only to be at least that.
 */

export const STATISTICS = ["mean", "p50", "p95", "p99", "max"] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface Statistics extends Readonly<Record<Statistic, number>> {
  /** What has not ended included. */
  readonly count: number;
  /** Those that are known only to be at least so much. */
  readonly atLeast: readonly Statistic[];
}

/**
 * Null where nothing ended: the mean of no latencies is not 0. `unended` lasted so long at least, and nobody
 * knows how much longer.
 */
export function statistics(values: readonly number[], unended: readonly number[] = []): Statistics | null {
  if (values.length === 0) return null;
  const all = [...values, ...unended];
  const sorted = Float64Array.from(all).sort();
  const ended = Float64Array.from(values).sort();
  const quantiles = { p50: 0.5, p95: 0.95, p99: 0.99, max: 1 } as const;
  // What has not ended may have taken for ever: where that would change a value, it is a bound.
  const isBound = (share: number): boolean =>
    quantile(sorted, share) !== (ended[rankOf(share, sorted.length) - 1] ?? Number.POSITIVE_INFINITY);
  return {
    count: sorted.length,
    mean: mean(all),
    p50: quantile(sorted, quantiles.p50),
    p95: quantile(sorted, quantiles.p95),
    p99: quantile(sorted, quantiles.p99),
    max: quantile(sorted, quantiles.max),
    atLeast: STATISTICS.filter((name) => (name === "mean" ? unended.length > 0 : isBound(quantiles[name]))),
  };
}

/**
 * The least value that at least this share of all values does not exceed ("nearest rank"): always one that
 * occurred.
 */
export function quantile(ascending: Float64Array, share: number): number {
  return ascending[rankOf(share, ascending.length) - 1] ?? Number.NaN;
}

const rankOf = (share: number, count: number): number => Math.max(1, Math.ceil(share * count));

/** Of two values in the middle, half way between them. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return (quantile(sorted, 0.5) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2;
}

/** Of values in any order. */
export const quantileOf = (values: readonly number[], share: number): number =>
  quantile(Float64Array.from(values).sort(), share);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of the population that the values are a sample of. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** A distribution function as points: `share` of all values are at most `value`. */
export interface Distribution {
  readonly share: readonly number[];
  readonly value: readonly number[];
}

/** Finer towards the end, where the interesting part of a latency is. */
export function distribution(values: readonly number[]): Distribution {
  const sorted = Float64Array.from(values).sort();
  const share = CUTS.filter((cut) => sorted.length > 0 && cut <= 1);
  return { share, value: share.map((cut) => quantile(sorted, cut)) };
}

const CUTS: readonly number[] = [
  ...Array.from({ length: 100 }, (_, index) => index / 100),
  ...Array.from({ length: 10 }, (_, index) => 0.99 + index / 1000),
  0.9999,
  1,
];
