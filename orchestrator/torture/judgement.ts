/** What a run is judged by, and what is written down of it. */

import { type Instant, instant } from "#node/core/time.ts";
import { type Entry, type History, type Hold, isOperation } from "../check/history.ts";
import { judge, type Property, PROPERTIES } from "../check/property.ts";
import { type Finding, finding, type Judgement, merge, type Verdict, verdict } from "../check/verdict.ts";
import { SESSION_TIMEOUT_MS, type Torture } from "./plan.ts";
import type { Histories } from "./workload.ts";

/** What is known of a run beside what clients saw. */
export interface Conduct {
  readonly strikes: ReadonlyMap<string, number>;
  readonly leaps: readonly Instant[];
  readonly servers: number;
  readonly suicides: readonly string[];
  /** Of sessions to another connection. */
  readonly moves: number;
  readonly servedAfterMs: number;
  readonly allServedAfterMs: number;
  /** When the last look began, after everything was mended; null when it did not end. */
  readonly looked: number | null;
}

/** One run, as one line of a record keeps it. */
export interface Report {
  readonly seed: number;
  readonly topology: string;
  readonly system: string;
  readonly mutant: string | null;
  readonly seconds: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Operations that were answered, and so could be checked. */
  readonly operations: number;
  /** Of these, those that succeeded. */
  readonly acknowledged: number;
  /** From the end of the last fault to the first write that succeeded, if one did. */
  readonly servedAfterMs: number | null;
  /** To the first write at the slowest server; of old records this is not known. */
  readonly allServedAfterMs?: number | null;
  readonly judgement: Judgement;
  readonly findings: readonly Finding[];
}

const PROMISED: readonly Property[] = [
  "durable",
  "linearizable",
  "sequential",
  "unforked",
  "numbered",
  "conserved",
  "watched",
  "equal",
];

export function judgeRun(plan: Torture, { main, locks }: Histories, conduct: Conduct): Report {
  const operations = [...main, ...locks].filter(isOperation);
  const verdicts = [
    judgeClients(plan, main, conduct),
    judgeLocks(plan, { main, locks }, conduct),
    judgeServers(conduct),
  ];
  const { judgement, findings } = merge(verdicts);
  return {
    seed: plan.seed,
    topology: plan.topology,
    system: plan.system,
    mutant: plan.mutant,
    seconds: plan.seconds,
    faults: Object.fromEntries(conduct.strikes),
    operations: operations.filter(({ outcome }) => outcome !== "unknown").length,
    acknowledged: operations.filter(({ outcome }) => outcome === "ok").length,
    servedAfterMs: told(conduct.servedAfterMs),
    allServedAfterMs: told(conduct.allServedAfterMs),
    judgement,
    findings,
  };
}

const told = (ms: number): number | null => (Number.isFinite(ms) ? Math.round(ms) : null);

/**
 * ZooKeeper's sync asks no quorum, so an old leader that does not know yet that it was deposed answers it,
 * and the read behind it is as old as any. That is how it is documented; what a synced read shows is promised
 * there only once all is mended and one leader leads all. It is counted all the same.
 */
function judgeClients({ system }: Torture, main: History, { looked }: Conduct): Verdict {
  if (system === "polebench") return judge(main, PROMISED);
  const from = looked ?? Infinity;
  const promised = main.map((entry) =>
    "synced" in entry && entry.invoked < from ? { ...entry, synced: false } : entry,
  );
  const extra = PROPERTIES.linearizable(main);
  return merge([judge(promised, PROMISED), verdict([notPromised(extra)])]);
}

/** How it did not hold is said, and not held against it; that nothing was looked at is. */
const notPromised = ({ property, judgement, operations, reasons }: Finding): Finding => ({
  property: `not promised: ${property} at any time`,
  judgement: operations === 0 ? judgement : "valid",
  operations,
  reasons,
});

function judgeLocks({ system }: Torture, { main, locks }: Histories, { leaps }: Conduct): Verdict {
  // Ends of sessions are noted with everything else; locks are judged by them too.
  const ends = main.filter(({ kind }) => kind === "end");
  const history = [...locks.flatMap((entry) => assured(entry, leaps)), ...ends];
  const ephemeral = PROPERTIES.ephemeral(history);
  return verdict([
    PROPERTIES.exclusive(history),
    system === "polebench" ? ephemeral : notPromised(ephemeral),
  ]);
}

/**
 * A lock is held for as long as servers wait for its session, by their clocks. Where one has leapt nobody
 * waits as long as was said, so a hold is sure only until the leap, and again when everything that was heard
 * before it has been forgotten.
 */
function assured(entry: Entry, leaps: readonly Instant[]): readonly Entry[] {
  if (entry.kind !== "hold") return [entry];
  const shaken = leaps.find((leap) => leap < entry.until && entry.from < leap + SESSION_TIMEOUT_MS * 1000);
  if (shaken === undefined) return [entry];
  const hold: Hold = { ...entry, until: instant(Math.min(entry.until, shaken)) };
  return hold.until > hold.from ? [hold] : [];
}

function judgeServers({ strikes, servers, suicides, moves, servedAfterMs, looked }: Conduct): Verdict {
  const wasStruck = strikes.size > 0 ? 1 : 0;
  const isLate = servedAfterMs > 2 * SESSION_TIMEOUT_MS;
  return verdict([
    finding(
      "serves within 2 session timeouts of the last fault",
      wasStruck,
      isLate ? [`served ${Math.round(servedAfterMs)} ms after it was mended`] : [],
    ),
    finding("everything can be looked at in the end", servers, looked === null ? ["not in time"] : []),
    finding("no server ends by itself", servers, suicides),
    finding("sessions go on at another connection", moves, []),
  ]);
}
