/**
 * How far machines are from each other, made real. Two engines do it: `netem` (the kernel's own queueing
 * discipline) and `plane` (a process that carries the packets). The same topology gives the same
 * distributions on both.
 */

import { milliseconds } from "#node/core/time.ts";
import type { LinkShape, Topology } from "../../topology/topology.ts";
import type { Machine } from "../infrastructure/infrastructure.ts";
import { addressOfMachine } from "./plane/control.ts";

export type EngineName = "netem" | "plane";

/** What happened on the way from one machine to another, since the network was made. */
export interface WayReport {
  readonly from: string;
  readonly to: string;
  readonly packets: number;
  readonly delivered: number;
  /** By the asked loss. */
  readonly lost: number;
  /** By a cut. */
  readonly cut: number;
  /** Because a queue was full: never asked for. */
  readonly overflowed: number;
  readonly reordered: number;
}

export interface NetworkReport {
  readonly ways: readonly WayReport[];
  /** Of the shaping process, 0 to 1 of one processor since it started; null when the kernel does it. */
  readonly processor: number | null;
  /**
   * Part of all packets that came more than a millisecond later than due; null when the kernel does not tell.
   */
  readonly late: number | null;
  /** How many packets came more than two milliseconds later; not said where nobody counts them. */
  readonly veryLate?: number;
  /** For people: how the engine works here. */
  readonly remark: string;
}

export interface Change {
  readonly from: string;
  readonly to: string;
  readonly shape: LinkShape;
}

export interface Network extends AsyncDisposable {
  readonly engine: EngineName;
  /** Many ways at once, as at the start. */
  shapeAll(changes: readonly Change[]): Promise<void>;
  /**
   * Changes the way from one machine to another; what is not named stays, what is under way comes when it was
   * due.
   */
  shape(from: string, to: string, change: Partial<LinkShape>): Promise<void>;
  /** Nothing more enters; what is under way is delivered, or dropped when the fault says so. */
  cut(from: string, to: string, inFlight?: "deliver" | "drop"): Promise<void>;
  heal(from: string, to: string): Promise<void>;
  /**
   * Of the TCP connections between both, in either direction, nothing of one passes any more: of the next
   * that carries so large a packet as only `bulk` has, or of whichever speaks next. When none has spoken
   * after a few seconds, all go on.
   */
  forget(from: string, to: string, which: "bulk" | "any"): Promise<void>;
  /** The shape that was asked for last. */
  asked(from: string, to: string): LinkShape;
  /** Removes the mean error that a calibration measured, in microseconds a passage; only a plane can. */
  compensate(microseconds: number): Promise<boolean>;
  report(): Promise<NetworkReport>;
}

/** What every way is like until it is told otherwise. */
export const NEUTRAL: LinkShape = {
  delay: milliseconds(1),
  jitter: null,
  loss: 0,
  rate: Number.POSITIVE_INFINITY,
};

/**
 * Whether whole segments of 64 KiB may pass: a lost one would be 45 lost packets, a slow one would block the
 * link for more than half a millisecond, and a wrong bit would spoil them all.
 */
export const isPlain = ({ loss, rate, duplicate = 0, corrupt = 0 }: LinkShape): boolean =>
  loss === 0 && duplicate === 0 && corrupt === 0 && rate >= 1e9;

/** The machines of a topology: one for every server, and one for the clients of each site that has load. */
export function machinesOf(topology: Topology): readonly Machine[] {
  const places: (readonly [name: string, site: string])[] = [];
  for (const [server, site] of topology.servers) places.push([`p${server}`, site]);
  for (const site of topology.sites.values())
    if (site.load > 0) places.push([clientsOf(site.name), site.name]);
  return places.map(([name, site], index) => ({ name, site, index, address: addressOfMachine(index) }));
}

/** The name of the machine on which a site's clients run. */
export const clientsOf = (site: string): string => `clients-${site}`;

/** Every ordered pair of different machines. */
export function* directedPairs(machines: Iterable<Machine>): Generator<readonly [Machine, Machine]> {
  const all = [...machines];
  for (const from of all) for (const to of all) if (from !== to) yield [from, to];
}
