/**
 * Many numbers told in a few. Quantiles are exact: a run has some hundred thousand latencies, which sort in a
 * blink, and nobody has to ask what a histogram's buckets did to the p99.
 */

export interface Statistics {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Null of nothing: the mean of no latencies is not 0. */
export function statistics(values: readonly number[]): Statistics | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return {
    count: sorted.length,
    mean: mean(values),
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: quantile(sorted, 1),
  };
}

/**
 * The least value that at least this share of all values does not exceed ("nearest rank"): always one that
 * occurred.
 */
export function quantile(ascending: Float64Array, share: number): number {
  const rank = Math.max(1, Math.ceil(share * ascending.length));
  return ascending[rank - 1] ?? Number.NaN;
}

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
