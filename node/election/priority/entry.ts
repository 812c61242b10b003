/** Priority election as the catalog has it: the least id leads, and work takes a fixed time. */

import { milliseconds, seconds } from "../../core/time.ts";
import type { Schema } from "../options.ts";
import type { ServiceElectionEntry } from "../service-election.ts";
import { Priority } from "./priority.ts";
import { firstId } from "./strategy.ts";
import { Timed } from "./timed.ts";

const OPTIONS = {
  pause: {
    kind: "duration",
    default: seconds(1),
    sentence: "a member that the service refuses tries again after so long",
  },
  takeover: {
    kind: "duration",
    default: milliseconds(0),
    sentence: "who is elected takes so long to take over",
  },
  takeoverWithin: {
    kind: "duration",
    default: seconds(10),
    sentence: "who does not take over within so long is passed over",
  },
  releaseWithin: {
    kind: "duration",
    default: seconds(10),
    sentence: "an old leader that does not give up within so long is put out",
  },
} as const satisfies Schema;

export const priority: ServiceElectionEntry<typeof OPTIONS> = {
  create: (candidacy, { pause, takeover, takeoverWithin, releaseWithin }) => {
    const own = { site: candidacy.self, score: 0, watching: "lean", pause, review: null } as const;
    const rules = { strategy: firstId, takeover: takeoverWithin, release: releaseWithin };
    return new Timed(new Priority(candidacy, { ...own, ...rules }), takeover, milliseconds(0));
  },
  options: OPTIONS,
  assumes: {
    medium: "service",
    failures: "crash-recovery",
    messages: "lossy",
    timing: "partially synchronous",
  },
  source:
    "Petrescu: Leader election in a cluster using ZooKeeper, Studia Univ. Babes-Bolyai, Informatica, 2020",
  summary: "who came first elects by a strategy; who is elected takes over, and leads when it is ready",
};
