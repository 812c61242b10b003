/**
 * The load program: a process of its own, so that its work is not counted as a server's and its event loop
 * serves nobody else. It takes a plan as its argument and prints `LoadLine`s.
 */

import { setTimeout as delay } from "node:timers/promises";
import { ERRORS } from "#node/wire/client/error.ts";
import { LoadClient } from "./client.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { Measurement } from "./measurement.ts";
import { instant } from "#node/core/time.ts";
import { Alarm } from "#node/host/alarm.ts";
import type { LoadLine, LoadPlan } from "./plan.ts";
import { createRequest, loadRequest } from "./request.ts";

const BEAT_US = 1000;
/** How long answers that are still due are waited for. */
const DRAIN_MS = 5_000;

await run(JSON.parse(process.argv[2] ?? "") as LoadPlan);
process.exit(0);

async function run(plan: LoadPlan): Promise<void> {
  const { pace } = plan;
  const measurement = new Measurement(pace.kind === "open");
  const clients = Array.from(
    { length: plan.clients },
    (_, index) => new LoadClient(plan.ports, index, measurement),
  );
  await Promise.all(clients.map((client, index) => prepare(client, index, plan)));

  const stopPace = pace.kind === "closed" ? keepBusy(clients, pace.outstanding) : await open(clients, pace);
  await delay(plan.warmUpSeconds * 1e3);
  measurement.begin();
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

/** Every client has a znode of its own, which may be left from an earlier load. */
async function prepare(client: LoadClient, index: number, plan: LoadPlan): Promise<void> {
  const error = await client.once(createRequest(index, plan));
  if (error !== ERRORS.ok && error !== ERRORS.nodeExists) throw new Error(`create refused: ${error}`);
  client.use(loadRequest(index, plan));
}

function keepBusy(clients: readonly LoadClient[], outstanding: number): () => Promise<number> {
  for (const client of clients) client.keep(outstanding);
  return () => {
    for (const client of clients) client.rest();
    return Promise.resolve(0);
  };
}

/**
 * Request k of all is due k / rate after the first, and is the next client's; each beat sends what is due.
 */
async function open(clients: readonly LoadClient[], { ratePerSecond }: { ratePerSecond: number }) {
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
