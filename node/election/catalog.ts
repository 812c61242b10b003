/**
 * Every election there is, by the name a user gives. A new one is a file, a line here, and a transcript in
 * testdata/.
 */

import type { Automaton } from "../core/automaton.ts";
import type { ElectionProtocol } from "./election.ts";
import { PoleElection, type PoleOptions } from "./pole.ts";

/** What any election may be told; each takes what it knows of. */
export type ElectionOptions = PoleOptions;

export interface ElectionEntry {
  create(options: ElectionOptions): Automaton<ElectionProtocol>;
  /** Where it is right. Outside of that its results compare nothing. */
  readonly assumes: {
    readonly network: "complete" | "ring";
    readonly failures: "none" | "crash" | "crash-recovery";
    readonly messages: "reliable" | "lossy";
  };
  readonly source: string;
  readonly summary: string;
}

export const elections = {
  pole: {
    create: (options) => new PoleElection(options),
    assumes: { network: "complete", failures: "crash-recovery", messages: "lossy" },
    source:
      "Becker, Junqueira, Serafini: Leader Election for Replicated Services Using Application Scores, 2011",
    summary: "the best score among those who propose in time",
  },
} as const satisfies Record<string, ElectionEntry>;

export type ElectionName = keyof typeof elections;
