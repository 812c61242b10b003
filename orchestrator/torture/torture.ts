/**
 * One run: an ensemble of real processes on loopback, clients that work, a nemesis that strikes, and when all
 * is mended a last look at everything, which the checks then judge.
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import type { Mutant } from "#node/core/mutant.ts";
import { Random } from "#node/core/random.ts";
import type { ServerId } from "#node/core/identity.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { type Ensemble, startEnsemble } from "../bench/ensemble.ts";
import { type System, SYSTEMS } from "../bench/system.ts";
import { isOperation } from "../check/history.ts";
import { judge, type Property } from "../check/property.ts";
import { finding, merge, type Verdict, verdict } from "../check/verdict.ts";
import { Nemesis } from "./nemesis.ts";
import { Session } from "./session.ts";
import { digestOf } from "./tree-digest.ts";
import {
  ACCOUNTS,
  create,
  type Histories,
  OPENED_WITH,
  operation,
  PERIOD_MS,
  registersOf,
  setOf,
  Workload,
} from "./workload.ts";

export interface Torture {
  readonly system: "polebench" | "zookeeper";
  readonly mutant: Mutant | null;
  readonly seed: number;
  readonly seconds: number;
  readonly servers: number;
  readonly clients: number;
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly operations: number;
  readonly acknowledged: number;
  readonly strikes: ReadonlyMap<string, number>;
  readonly healedMs: number;
}

const SERVER = fileURLToPath(new URL("./server.ts", import.meta.url));
const TICK_MS = 100;
export const SESSION_TIMEOUT_MS = 2000;
const PROPERTIES: readonly Property[] = [
  "durable",
  "linearizable",
  "sequential",
  "unforked",
  "numbered",
  "conserved",
  "watched",
];
/** For the last look, and for the ensemble to serve again at all. */
const FURNISH_MS = 20_000;
const NO_TERMS = { sessionTimeoutMs: SESSION_TIMEOUT_MS, disks: false };
const LAST_LOOK_MS = 30_000;

const systemOf = ({ system, mutant }: Torture): System =>
  system === "zookeeper"
    ? SYSTEMS.zookeeper
    : {
        name: "tortured",
        missing: () => null,
        command: (file) => [process.execPath, SERVER, file, ...(mutant === null ? [] : [mutant])],
      };

export async function torture(plan: Torture): Promise<Outcome> {
  const random = new Random(plan.seed);
  const isOurs = plan.system === "polebench";
  // Who leads is drawn, not who has the newest history: so that a leader must pull.
  const settings = isOurs
    ? { oracle: "rotating", heartbeat: "100ms", snapCount: 2000, historyBytes: 1 << 18 }
    : {};
  await using ensemble = await startEnsemble(systemOf(plan), plan.servers, {
    tickTime: TICK_MS,
    ...settings,
  });
  const histories: Histories = { main: [], locks: [] };
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  const session = (history = histories.main, to: readonly number[] = ports): Session =>
    new Session(to, SESSION_TIMEOUT_MS, random.fork(), history);

  const first = session();
  const periods = Math.ceil((plan.seconds * 1000 + LAST_LOOK_MS) / PERIOD_MS);
  const furnished = furnish(first, histories, periods).then(() => true);
  if (!(await Promise.race([furnished, delay(FURNISH_MS, false)]))) {
    first.stop();
    return judged(histories, new Nemesis(ensemble, random, NO_TERMS), Infinity);
  }
  const begun = performance.now();
  const end = begun + plan.seconds * 1000;
  const nemesis = new Nemesis(ensemble, random.fork(), {
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    disks: isOurs,
  });
  const sessions = Array.from({ length: plan.clients }, () => session());
  let working = true;
  const work = sessions.map(async (own, index) => {
    const workload = new Workload(own, histories, random.fork(), `c${index}`, begun);
    while (working) {
      await workload.next();
      await delay(1);
    }
  });
  await nemesis.torment(end);
  const mended = performance.now();
  const last = new Workload(first, histories, random.fork(), "last", begun);
  const look = (async () => {
    const healedMs = await serves(first, mended);
    working = false;
    await Promise.all(work);
    const periods = Math.floor((performance.now() - begun) / PERIOD_MS);
    for (let period = 0; period <= periods; period++) {
      await last.list(setOf(period));
      for (const path of registersOf(period)) await last.read(path, true, false);
    }
    await last.audit();
    await compare(ensemble, session, histories);
    return healedMs;
  })();
  const healedMs = await Promise.race([look, delay(LAST_LOOK_MS, Infinity)]);
  working = false;
  for (const own of [first, ...sessions]) own.stop();
  return judged(histories, nemesis, healedMs);
}

async function furnish(first: Session, { main }: Histories, periods: number): Promise<void> {
  for (const path of ["/sets", "/registers", "/numbers", "/accounts"]) await first.ask([create(path)]);
  for (const account of ACCOUNTS) {
    await first.ask([create(account, String(OPENED_WITH))], ([answer]) => {
      if (answer !== undefined) main.push(operation(answer, { kind: "open", account, amount: OPENED_WITH }));
    });
  }
  for (let period = 0; period < periods; period++) {
    await first.ask([create(setOf(period)), create(`/numbers/${period}`)]);
    for (const key of registersOf(period)) {
      await first.ask([create(key, "new")], ([answer]) => {
        if (answer !== undefined) main.push(operation(answer, { kind: "create", key, value: "new" }));
      });
    }
  }
}

/** How long after everything was mended a write succeeds. */
async function serves(session: Session, mended: number): Promise<number> {
  for (let number = 0; ; number++) {
    const [answer] = await session.ask([create(`/served-${number}`)]);
    if (answer?.error === ERRORS.ok) return performance.now() - mended;
    await delay(20);
  }
}

/** Nobody writes any more: every server shows the same tree. */
async function compare(
  ensemble: Ensemble,
  session: (history: Histories["main"], to: readonly number[]) => Session,
  { main }: Histories,
): Promise<void> {
  for (const { id, clientPort } of ensemble.servers) {
    const own = session([], [clientPort]);
    const text = await digestOf(own);
    own.stop();
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
    main.push({ kind: "digest", server: id as ServerId, zxid: 0 as never, digest });
  }
}

function judged({ main, locks }: Histories, nemesis: Nemesis, healedMs: number): Outcome {
  const operations = main.filter(isOperation);
  // Ends of sessions are noted with everything else; locks are judged by them too.
  const ends = main.filter(({ kind }) => kind === "end");
  const late =
    healedMs > 2 * SESSION_TIMEOUT_MS ? [`served ${Math.round(healedMs)} ms after it was mended`] : [];
  const strikes = [...nemesis.strikes.values()].reduce((sum, count) => sum + count, 0);
  return {
    verdict: merge([
      judge(main, [...PROPERTIES, "equal"]),
      judge([...locks, ...ends], ["exclusive", "ephemeral"]),
      verdict([
        finding("serves within 2 session timeouts", strikes, late),
        finding("no server ends by itself", strikes, nemesis.suicides),
      ]),
    ]),
    operations: operations.length,
    acknowledged: operations.filter(({ outcome }) => outcome === "ok").length,
    strikes: nemesis.strikes,
    healedMs,
  };
}
