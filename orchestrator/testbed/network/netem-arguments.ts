/**
 * Link shapes in the words of tc, and back. Pure, so that what the kernel is told can be read in a table.
 *
 * Three habits of netem are minded here. A parameter that is left out of a `change` behaves unevenly (the
 * limit falls back to 1000 packets, the rate stays), so every call names everything. The queue is sorted by
 * due time, so independent jitter lets packets overtake; only a rate keeps order, so an ordered link without
 * one gets a rate that nothing reaches. And its own Pareto table has a mean of -0.03 jitters, so ours is
 * loaded instead (distribution.ts).
 */

import type { LinkShape, Topology } from "../../topology/topology.ts";
import { QUEUE_TIME } from "./plane/way.ts";

/** Its correlation argument does nothing to a delay: it only reaches the low bits of the table's index. */
export const NO_SWINGS = "netem has no jitter with a half-life; use --engine plane";
const NO_MULTICAST = "multicastLoss: netem carries no multicast between machines; use --engine plane";

/** What a topology asks that netem cannot do, as a sentence; null when there is nothing. */
export function beyondNetem(topology: Topology): string | null {
  if (topology.multicastLoss !== "independent") return NO_MULTICAST;
  for (const from of topology.sites.keys()) {
    for (const to of topology.sites.keys())
      if (isSwinging(topology.link(from, to))) return `${from} to ${to}: ${NO_SWINGS}`;
  }
  return null;
}

export const isSwinging = ({ jitter }: LinkShape): boolean => (jitter?.halfLife ?? 0) > 0;

/** Packets that a queue may hold without a rate limit: more than 100,000 packets/s over 800 ms. */
const LIMIT = 100_000;
/** 64 KiB pass in 5 us: far above what any flow here reaches, and all that keeping order needs. */
const ORDER_RATE = 100e9;

/** The name under which tc finds the table, as `polebench-pareto.dist`. */
export const tableName = (shape: string): string => `polebench-${shape}`;

/** Everything after `netem`; `earlier` is taken off the delay, in microseconds. */
export function netemArguments(shape: LinkShape, ordered: boolean, earlier = 0): readonly string[] {
  const { delay, jitter, loss, duplicate = 0, corrupt = 0 } = shape;
  const time = `${Math.max(0, Math.round(delay - earlier))}us`;
  const rate = rateOf(shape, ordered);
  return [
    "limit",
    String(limitOf(shape)),
    "delay",
    time,
    ...(jitter === null ? [] : [`${jitter.scale}us`, "distribution", tableName(jitter.distribution)]),
    // Some versions of tc refuse a loss of 0, and all take its absence for 0.
    ...(loss === 0 ? [] : ["loss", "random", percent(loss)]),
    ...(duplicate === 0 ? [] : ["duplicate", percent(duplicate)]),
    ...(corrupt === 0 ? [] : ["corrupt", percent(corrupt)]),
    "rate",
    `${Math.round(rate)}bit`,
  ];
}

const percent = (share: number): string => `${Number((share * 100).toFixed(6))}%`;

/** 0 is tc's word for no rate at all. */
function rateOf({ rate, jitter }: LinkShape, ordered: boolean): number {
  if (Number.isFinite(rate)) return rate;
  return ordered && jitter !== null ? ORDER_RATE : 0;
}

function limitOf({ rate, delay, jitter }: LinkShape): number {
  if (!Number.isFinite(rate)) return LIMIT;
  const microseconds = QUEUE_TIME + delay + 4 * (jitter?.scale ?? 0);
  return Math.min(LIMIT, Math.max(20, Math.ceil((rate * microseconds) / 1e6 / 8 / 1500)));
}

/** What `tc -j -s qdisc show` says of one netem; times in seconds, rates in bytes per second. */
export interface NetemState {
  readonly kind: string;
  readonly dev: string;
  readonly packets?: number;
  readonly drops?: number;
  readonly backlog?: number;
  readonly qlen?: number;
  readonly options?: {
    readonly limit?: number;
    readonly delay?: { readonly delay: number; readonly jitter: number };
    readonly "loss-random"?: { readonly loss: number };
    readonly rate?: { readonly rate: number };
  };
}

/** How the kernel's netem differs from what it was told; null when it does not. */
export function difference(
  state: NetemState,
  shape: LinkShape,
  ordered: boolean,
  earlier = 0,
): string | null {
  const { options = {} } = state;
  const told: readonly [what: string, asked: number, found: number, tolerance: number][] = [
    ["limit", limitOf(shape), options.limit ?? 0, 0],
    ["delay", Math.max(0, Math.round(shape.delay - earlier)), (options.delay?.delay ?? 0) * 1e6, 1.5],
    ["jitter", shape.jitter?.scale ?? 0, (options.delay?.jitter ?? 0) * 1e6, 1.5],
    ["loss", shape.loss, options["loss-random"]?.loss ?? 0, 1e-6],
    ["rate", rateOf(shape, ordered), (options.rate?.rate ?? 0) * 8, 8],
  ];
  const wrong = told.find(([, asked, found, tolerance]) => Math.abs(asked - found) > tolerance);
  return wrong === undefined ? null : `${wrong[0]} is ${wrong[2]} instead of ${wrong[1]}`;
}
