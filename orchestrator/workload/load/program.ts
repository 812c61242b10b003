/**
 * The load program, whatever protocol its clients speak: a process of its own, so that its work is not
 * counted as a server's and its event loop serves nobody else. It takes a plan and prints `LoadLine`s.
 */

import { setTimeout as delay } from "node:timers/promises";
import { instant } from "#node/core/time.ts";
import { Alarm } from "#node/host/alarm.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { HOST } from "../../topology/loopback.ts";
import { Hearsay } from "./hearsay.ts";
import { Measurement } from "./measurement.ts";
import type { LoadLine, LoadPlan } from "./plan.ts";
import { isSteady, WINDOW_MS } from "./steadiness.ts";

/** What becomes of requests; all instants in microseconds. */
export interface Tally {
  now(): number;
  acknowledged(intended: number, sent: number, completed: number): void;
  refused(error: number): void;
  unknown(intended: number): void;
}

/** One client of the load, on whose connection requests follow each other without waiting for answers. */
export interface LoadingClient {
  /** Its key is there, which may be left from an earlier load, and it knows what it is to ask. */
  prepare(index: number, plan: LoadPlan): Promise<void>;
  /** From when this resolves on, `told` is called for each write to the key of that client. */
  watch(client: number, told: () => void): Promise<void>;
  /** Keeps so many requests under way from now on: in a closed loop every answer makes room for the next. */
  keep(outstanding: number): void;
  /** A request that was due at `intended` goes out with the next `send`. */
  due(intended: number): void;
  send(): void;
  readonly idle: boolean;
  /** No request is sent any more; how many were due and wait in vain. */
  rest(): number;
  stop(): void;
}

/** Client `index` begins with the port of that place, round and round. */
export type ClientOf = (of: {
  readonly index: number;
  readonly ports: readonly number[];
  readonly tally: Tally;
  /** Of clients whose writes are watched. */
  readonly hearsay: Hearsay | null;
}) => LoadingClient;

const BEAT_US = 1000;
/** How long answers that are still due are waited for. */
const DRAIN_MS = 5_000;

/** Leaves when all is done. */
export async function runProgram(told: string | undefined, clientOf: ClientOf): Promise<never> {
  await run(JSON.parse(told ?? "") as LoadPlan, clientOf);
  process.exit(0);
}

async function run(plan: LoadPlan, clientOf: ClientOf): Promise<void> {
  const { pace } = plan;
  const measurement = new Measurement(pace.kind === "open");
  const hearsay = plan.request === "watched" ? new Hearsay(plan.clients) : null;
  const clients = Array.from({ length: plan.clients }, (_, index) =>
    clientOf({ index, ports: plan.ports, tally: measurement, hearsay }),
  );
  await say({ kind: "up" });
  await Promise.all(clients.map((client, index) => client.prepare(index, plan)));
  if (hearsay !== null) await Promise.all(clients.map((client, index) => watching(client, index, hearsay)));

  await say({ kind: "ready", at: monotonic() });
  const stopPace = pace.kind === "closed" ? keepBusy(clients, pace.outstanding) : await open(clients, pace);
  measurement.start();
  await delay(plan.warmUpSeconds * 1e3);
  const within = plan.steadyWithinSeconds ?? null;
  measurement.begin(within === null ? null : await steady(measurement, within * 1e3));
  await say({ kind: "begin", at: monotonic() });
  await delay(plan.seconds * 1e3);
  measurement.end();
  await say({ kind: "end", at: monotonic() });
  const heldBack = await stopPace();

  const deadline = monotonic() + DRAIN_MS * 1e3;
  while (clients.some(({ idle }) => !idle) && monotonic() < deadline) await delay(10);
  for (const client of clients) client.stop();
  await say({ kind: "result", result: measurement.result(heldBack) });
}

/** Keys are there by then. */
function watching(client: LoadingClient, index: number, hearsay: Hearsay): Promise<void> {
  const of = hearsay.watchedBy(index);
  return client.watch(of, () => hearsay.told(of));
}

/** Waits until it is; false where it takes too long. */
async function steady(measurement: Measurement, withinMs: number): Promise<boolean> {
  const windows: number[] = [];
  for (let waited = 0; waited < withinMs && !isSteady(windows); waited += WINDOW_MS) {
    const before = measurement.answered;
    await delay(WINDOW_MS);
    windows.push(measurement.answered - before);
  }
  return isSteady(windows);
}

function keepBusy(clients: readonly LoadingClient[], outstanding: number): () => Promise<number> {
  for (const client of clients) client.keep(outstanding);
  return () => {
    for (const client of clients) client.rest();
    return Promise.resolve(0);
  };
}

/**
 * Request k of all is due k / rate after the first, and is the next client's; each beat sends what is due.
 */
async function open(clients: readonly LoadingClient[], { ratePerSecond }: { ratePerSecond: number }) {
  const apart = 1e6 / ratePerSecond;
  const first = monotonic() + BEAT_US;
  let sent = 0;
  let beat = first;
  const alarm = await Alarm.open(() => {
    const [before, now] = [sent, monotonic()];
    if (now < beat) return;
    for (let due = first + Math.round(sent * apart); due <= now; due = first + Math.round(sent * apart)) {
      clients[sent % clients.length]?.due(due);
      sent += 1;
    }
    const spoken = Math.min(sent - before, clients.length);
    for (let index = 0; index < spoken; index++) clients[(before + index) % clients.length]?.send();
    beat = Math.max(beat + BEAT_US, now);
    alarm.set(instant(beat));
  });
  alarm.set(instant(beat));
  return async (): Promise<number> => {
    await alarm.close();
    return clients.reduce((sum, client) => sum + client.rest(), 0);
  };
}

/** Pipes take what fits, and leaving drops the rest: wait until all is taken. */
function say(line: LoadLine): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve());
  });
}

/** Servers of this machine in the order in which a client turns to them, from its own first one on. */
export const placesFrom = (ports: readonly number[], first: number): { host: string; port: number }[] =>
  ports.map((_, index) => ({ host: HOST, port: ports[(first + index) % ports.length] ?? 0 }));
