/**
 * How the plane is steered: one JSON document a line comes in on its standard input, one answer a line goes
 * out on its standard output, in the same order. The end of the input is the end of the plane. What is no
 * command is answered by what is wrong with it (command-reading.ts).
 */

import type { LinkShape, MulticastLoss } from "../../../topology/topology.ts";
import type { WayCounters } from "./way.ts";

export type Command =
  /**
   * Gives machine `machine` its device, in the namespace of this path. Again after its namespace was
   * replaced.
   */
  | {
      readonly kind: "attach";
      readonly machine: number;
      readonly namespace: string;
      readonly address: string;
    }
  | { readonly kind: "shape"; readonly from: number; readonly to: number; readonly shape: WireShape }
  | {
      readonly kind: "cut";
      readonly from: number;
      readonly to: number;
      readonly inFlight: "deliver" | "drop";
    }
  | { readonly kind: "heal"; readonly from: number; readonly to: number }
  | {
      readonly kind: "forget";
      readonly from: number;
      readonly to: number;
      readonly which: "bulk" | "any";
    }
  /**
   * Deliver this much earlier than asked, in microseconds: what a passage through the plane costs by itself.
   */
  | { readonly kind: "compensate"; readonly microseconds: number }
  | { readonly kind: "report" };

/** JSON has no Infinity: no limit is null. */
export type WireShape = Omit<LinkShape, "rate"> & { readonly rate: number | null };

export const shapeOffWire = (shape: WireShape): LinkShape => ({
  ...shape,
  rate: shape.rate ?? Number.POSITIVE_INFINITY,
});

export type Answer =
  | { readonly ok: true; readonly report?: PlaneReport }
  | { readonly ok: false; readonly reason: string };

export interface PlaneReport {
  readonly scheduling: "fifo" | "short slice" | "ordinary";
  /** Since the plane started, in seconds. */
  readonly elapsed: number;
  readonly processor: number;
  readonly delivered: number;
  /** Delivered more than a millisecond after they were due: the plane could not keep up. */
  readonly late: number;
  /** Of those, more than two. */
  readonly veryLate: number;
  /** The most that any packet was late by, in microseconds. */
  readonly latest: number;
  /** Of no machine's address, or not IPv4. */
  readonly unroutable: number;
  /** Wake-ups, to see how many packets share one. */
  readonly rounds: number;
  readonly ways: readonly ({ readonly from: number; readonly to: number } & WayCounters)[];
}

export interface PlaneSettings {
  readonly machines: number;
  readonly seed: number;
  readonly ordered: boolean;
  readonly multicastLoss: MulticastLoss;
  /** Spins before everything that is due, and takes no naps. */
  readonly precise: boolean;
  readonly offloads: boolean;
  readonly mtu: number;
}

/** 10.77.x.y, machine 0 being 10.77.0.1; .0 and .255 are left out because tools take them for broadcasts. */
export function addressOfMachine(machine: number): string {
  return `10.77.${Math.floor(machine / 250)}.${(machine % 250) + 1}`;
}

/** The machine that has the address whose last two bytes these are; may be out of range. */
export const machineOfAddress = (third: number, fourth: number): number => third * 250 + fourth - 1;
