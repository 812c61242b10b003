/** The recipe in both its forms, as the catalog has them. */

import { seconds } from "../../core/time.ts";
import type { Schema } from "../options.ts";
import type { ServiceElectionEntry } from "../service-election.ts";
import { Contender } from "./contender.ts";

const OPTIONS = {
  pause: {
    kind: "duration",
    default: seconds(1),
    sentence: "a member that the service refuses tries again after so long",
  },
} as const satisfies Schema;

const shared = {
  options: OPTIONS,
  assumes: {
    medium: "service",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source: "Hunt, Konar, Junqueira, Reed: ZooKeeper, 2010, section 2.4, and its recipes",
} as const satisfies Partial<ServiceElectionEntry<typeof OPTIONS>>;

export const chain: ServiceElectionEntry<typeof OPTIONS> = {
  ...shared,
  create: (candidacy, options) => new Contender(candidacy, options, "next lower"),
  summary: "who came first leads; each watches the one that came before it",
};

export const herd: ServiceElectionEntry<typeof OPTIONS> = {
  ...shared,
  create: (candidacy, options) => new Contender(candidacy, options, "leader"),
  summary: "who came first leads; all watch it",
};
