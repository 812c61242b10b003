/** What a run is judged by, and what is written down of it. */

import { type Instant, instant } from "#node/core/time.ts";
import { type Entry, type History, type Hold, isOperation, syncedFrom } from "../check/history.ts";
import { judge, type Property, PROPERTIES } from "../check/property.ts";
import { type Finding, finding, type Judgement, merge, type Verdict, verdict } from "../check/verdict.ts";
import { SYSTEMS } from "../system/catalog.ts";
import { type Bereaved, keptSessions, type Spell } from "./bereavement.ts";
import { SESSION_TIMEOUT_MS, type Torture } from "./plan.ts";
import type { Sitter } from "./sitter.ts";
import { equalCounters, equalTrees, type Trees } from "./tree-comparison.ts";
import type { Histories } from "./workload.ts";

/** What is known of a run beside what clients saw. */
export interface Conduct {
  readonly strikes: ReadonlyMap<string, number>;
  readonly leaps: readonly Instant[];
  readonly spells: readonly Spell[];
  /** Who only keeps its session; nobody where there are no sessions. */
  readonly sitters: readonly (Pick<Sitter, "moves"> & { readonly bereaved: readonly Bereaved[] })[];
  readonly servers: number;
  readonly suicides: readonly string[];
  /** Of sessions to another connection. */
  readonly moves: number;
  readonly servedAfterMs: number;
  readonly allServedAfterMs: number;
  /** Every server's, in the end. */
  readonly trees: Trees;
  /** When the last look began, after everything was mended; null when it did not end. */
  readonly looked: number | null;
}

/** One run, as one line of a record keeps it. */
export interface Report {
  readonly seed: number;
  readonly topology: string;
  readonly system: string;
  /** Where another was chosen than the system's own. */
  readonly election?: string;
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

const OF_KEYS: readonly Property[] = ["durable", "linearizable", "sequential", "unforked"];
const PROMISED: readonly Property[] = [
  "durable",
  "linearizable",
  "sequential",
  "unforked",
  "numbered",
  "conserved",
  "watched",
];

export function judgeRun(plan: Torture, { main, locks }: Histories, conduct: Conduct): Report {
  return reportOf(plan, [...main, ...locks], conduct, [
    judgeClients(plan, main, conduct),
    judgeLocks(plan, { main, locks }, conduct),
    judgeServers(plan, conduct, [equalCounters(conduct.trees)]),
    judgeSessions(plan, conduct),
  ]);
}

/** Whoever keeps keys without sessions promises what can be asked of keys. */
export function judgeKeys(plan: Torture, history: History, conduct: Conduct): Report {
  return reportOf(plan, history, conduct, [judge(history, OF_KEYS), judgeServers(plan, conduct, [])]);
}

function reportOf(plan: Torture, history: History, conduct: Conduct, verdicts: readonly Verdict[]): Report {
  const operations = history.filter(isOperation);
  const { judgement, findings } = merge(verdicts);
  return {
    seed: plan.seed,
    topology: plan.topology,
    system: plan.system,
    ...(plan.election === undefined ? {} : { election: plan.election }),
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
 * What ZooKeeper promises of reads, its documents say: they go forward, and a sync before them makes them new
 * only as far as the server that leads knows that it leads, because a sync asks no quorum. So a read behind a
 * sync is judged as one behind none, until all is mended and one leader leads all. Nor do they promise when
 * an ensemble serves again, or that a server goes on where it cannot: it is built to end, and to be started
 * anew by who watches over it. Nor what its servers count of children. How any of this did not hold is told
 * all the same.
 */
function judgeClients({ system }: Torture, main: History, { looked }: Conduct): Verdict {
  if (SYSTEMS[system].promises.syncIsLinearizable) return judge(main, PROMISED);
  const extra = PROPERTIES.linearizable(main);
  return merge([judge(believed(main, looked), PROMISED), verdict([notPromised(anyTime(extra))])]);
}

/** Of a sync before the last look nothing is believed. */
const believed = (history: History, looked: number | null): History =>
  syncedFrom(history, looked ?? Infinity);

/** How it did not hold is said, and not held against it; that nothing was looked at is. */
const notPromised = ({ property, judgement, operations, reasons }: Finding): Finding => ({
  property: `not promised: ${property}`,
  judgement: operations === 0 ? judgement : "valid",
  operations,
  reasons,
});

const anyTime = (found: Finding): Finding => ({ ...found, property: `${found.property} at any time` });

function judgeLocks({ system }: Torture, { main, locks }: Histories, { leaps, looked }: Conduct): Verdict {
  // Ends of sessions are noted with everything else; locks are judged by them too.
  const ends = main.filter(({ kind }) => kind === "end");
  const history = [...locks.flatMap((entry) => assured(entry, leaps)), ...ends];
  const exclusive = PROPERTIES.exclusive(history);
  if (SYSTEMS[system].promises.syncIsLinearizable) return verdict([exclusive, PROPERTIES.ephemeral(history)]);
  return verdict([
    exclusive,
    PROPERTIES.ephemeral(believed(history, looked)),
    notPromised(anyTime(PROPERTIES.ephemeral(history))),
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

/**
 * How long a session outlives what its documents do not say is told of ZooKeeper, and not held against it.
 */
function judgeSessions({ system }: Torture, { moves, sitters, spells }: Conduct): Verdict {
  const kept = keptSessions(sitters, spells, SESSION_TIMEOUT_MS);
  return verdict([
    finding("sessions go on at another connection", moves, []),
    SYSTEMS[system].promises.goesOn ? kept : notPromised(kept),
  ]);
}

/** `besides`: what else is asked of servers that go on. */
function judgeServers({ system }: Torture, conduct: Conduct, besides: readonly Finding[]): Verdict {
  const { strikes, servers, suicides, servedAfterMs, looked } = conduct;
  const isLate = servedAfterMs > 2 * SESSION_TIMEOUT_MS;
  const serves = finding(
    "serves within 2 session timeouts of the last fault",
    strikes.size > 0 ? 1 : 0,
    isLate ? [`served ${Math.round(servedAfterMs)} ms after it was mended`] : [],
  );
  const survives = finding("no server ends by itself", servers, suicides);
  const going = [...besides, serves, survives];
  return verdict([
    equalTrees(conduct.trees),
    ...(SYSTEMS[system].promises.goesOn ? going : going.map(notPromised)),
    finding("everything can be looked at in the end", servers, looked === null ? ["not in time"] : []),
  ]);
}
