/**
 * The write clients of one site, a process on a machine of that site: told by the file whose path is its
 * argument, ready when it says so, and done when the load is over and everything was answered or given up.
 */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { monotonic } from "#node/host/monotonic.ts";
import { instant } from "#node/core/time.ts";
import { Alarm } from "#node/host/alarm.ts";
import { type ClientPlan, READY } from "./client-plan.ts";
import { type Ending, liveSession, WriteClient } from "./client-session.ts";
import { OPERATIONS_HEADER, printOperation } from "./operation.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";

/** How often what has ended is written down, the end is looked for, and the start. */
const WRITE_MS = 500;
const END_MS = 200;
const LOOK_MS = 10;

const plan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as ClientPlan;
const schedule = parseSchedule(readFileSync(plan.schedule, "utf8"));
const stopped = new Promise<void>((resolve) => {
  process.once("SIGTERM", resolve);
  process.once("SIGINT", resolve);
});

let origin = 0;
let lines: string[] = [];
const write = (): void => {
  appendFileSync(plan.operations, lines.join(""));
  lines = [];
};
const note = ({ client, id, server, sent, completed, outcome, zxid }: Ending): void => {
  const intended = schedule.intended[id] ?? 0;
  const times = { intended, sent: sent - origin, completed: completed - origin };
  lines.push(printOperation({ id, client, site: plan.site, server, ...times, outcome, zxid }));
};

writeFileSync(plan.operations, OPERATIONS_HEADER);
const { payloadBytes } = schedule;
const session = liveSession(plan.clientPort, monotonic);
const around = { payloadBytes, now: monotonic, ended: note, session };
const clients = new Map(plan.clients.map((client) => [client.id, new WriteClient(client, around)]));
await Promise.race([Promise.all([...clients.values()].map(({ prepared }) => prepared)), stopped]);
console.log(READY);

await Promise.race([begun(), stopped]);
if (origin > 0) await Promise.race([load(schedule), stopped]);
await Promise.all([...clients.values()].map((client) => client.finish()));
write();
process.exit(0);

async function begun(): Promise<void> {
  while (!existsSync(plan.startFile)) await delay(LOOK_MS);
  origin = Number(readFileSync(plan.startFile, "utf8"));
}

/** Ends when everything was answered, or was waited for long enough. */
async function load({ intended, client: clientOf }: Schedule): Promise<void> {
  const own = [...clientOf.keys()].filter((id) => clients.has(clientOf[id] as number));
  const instants = Float64Array.from(own, (id) => origin + (intended[id] as number));
  let done = 0;
  const alarm = await Alarm.open(() => {
    const [before, now] = [done, monotonic()];
    while (done < instants.length && (instants[done] as number) <= now) done += 1;
    const due = Map.groupBy(own.slice(before, done), (id) => clientOf[id] as number);
    for (const [client, ids] of due) clients.get(client)?.due(ids);
    setAlarm();
  });
  const setAlarm = (): void => {
    const next = instants[done];
    if (next !== undefined) alarm.set(instant(next));
  };
  setAlarm();
  const writing = setInterval(write, WRITE_MS);
  const lastAnswer = origin + plan.duration + plan.drain;
  const isOver = (): boolean => done === own.length && [...clients.values()].every(({ isIdle }) => isIdle);
  while (monotonic() < lastAnswer && !isOver()) await delay(END_MS);
  clearInterval(writing);
  await alarm.close();
}
