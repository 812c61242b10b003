/**
 * An experiment on leaders that give their place away: what was expected, what came of it, and whether that
 * holds. All are runs in virtual time of what ships.
 */

import type { Figure, Table } from "../../report/chart/figure.ts";

export interface HandoverExperiment {
  readonly name: string;
  readonly title: string;
  /** What it asks. */
  readonly question: string;
  readonly run: (setting: { readonly quick: boolean; readonly seed: number }) => Found;
}

export interface Found {
  readonly figures: readonly Figure[];
  readonly numbers: Table;
  readonly checks: readonly { readonly what: string; readonly holds: boolean }[];
}
