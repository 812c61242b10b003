/**
 * A tree of 250 MB, which nobody hands over in the blink of an eye: a follower that lost its disk gets all of
 * it while the others go on serving, and all servers come back with it from their own disks.
 */

import { ERRORS } from "#node/wire/client/error.ts";
import { type Ensemble, type ServerProcess, startEnsemble } from "../system/ensemble.ts";
import { LoadClient } from "../workload/load/client.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { Measurement } from "../workload/load/measurement.ts";
import type { LoadPlan, Sample } from "../workload/load/plan.ts";
import { plant } from "../workload/load/planting.ts";
import { loadRequest } from "../workload/load/request.ts";
import type { Effort } from "./measurement.ts";
import type { Values } from "./metric.ts";
import { PAYLOAD_BYTES } from "./payload.ts";
import { level } from "../system/zookeeper/standing.ts";
import type { System } from "../system/system.ts";
import { quantileOf } from "../statistics/summary.ts";

const ZNODES = 250_000;
const WRITES_PER_SECOND = 500;
/** What is wanted takes less; whoever takes longer is measured under load for as long as this. */
const LOAD_SECONDS = 30;
const PATIENCE_MS = 180_000;

/** So often that the last snapshot of each server has nearly all of the tree: its log is the rest. */
const SETTINGS = { snapCount: ZNODES / 5 };

export async function bigTree(system: System, { effort: { warmUpSeconds } }: { readonly effort: Effort }) {
  await using ensemble = await startEnsemble(system, 3, SETTINGS);
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  await plant({ ports, znodes: ZNODES, payloadBytes: PAYLOAD_BYTES });
  const relearned = await relearn(ensemble, warmUpSeconds);
  return { ...relearned, ...(await restart(ensemble)) };
}

async function relearn(ensemble: Ensemble, warmUpSeconds: number): Promise<Values> {
  const leader = await ensemble.leader();
  const emptied = ensemble.servers.find((server) => server !== leader) as ServerProcess;
  await emptied.kill();
  emptied.empty();
  let started = 0;
  let ended = Promise.resolve(0);
  const plan = loadPlan(ensemble.servers.filter((server) => server !== emptied));
  const result = await ensemble.load(
    { ...plan, warmUpSeconds, seconds: LOAD_SECONDS },
    {
      begin: () => {
        started = monotonic();
        emptied.start();
        ended = level(emptied, leader, PATIENCE_MS).then(monotonic);
        // Looked at only when the load has ended.
        ended.catch(() => {});
      },
    },
  );
  const isLevel = await ended;
  if (result.refused + result.unknown > 0) throw new Error("writes failed although a quorum was there");
  return { level: [(isLevel - started) / 1e6], levelP99: [p99(result.samples, started, isLevel)] };
}

async function restart(ensemble: Ensemble): Promise<Values> {
  await Promise.all(ensemble.servers.map((server) => server.kill()));
  const started = monotonic();
  const since = (): number => (monotonic() - started) / 1e6;
  for (const server of ensemble.servers) server.start();
  const [first, all] = await Promise.all([
    firstWrite(ensemble).then(since),
    ensemble.ready(PATIENCE_MS).then(since),
  ]);
  return { restart: [first], restartAll: [all] };
}

async function firstWrite({ servers }: Ensemble): Promise<void> {
  const plan = loadPlan(servers);
  const client = new LoadClient(plan.ports, 0, new Measurement(false));
  const error = await client.once(loadRequest(0, plan));
  client.stop();
  if (error !== ERRORS.ok) throw new Error(`the first write after the restart was refused: ${error}`);
}

const loadPlan = (servers: readonly ServerProcess[]): LoadPlan => ({
  ports: servers.map(({ clientPort }) => clientPort),
  clients: 10,
  request: "setData",
  payloadBytes: PAYLOAD_BYTES,
  pace: { kind: "open", ratePerSecond: WRITES_PER_SECOND },
  warmUpSeconds: 0,
  seconds: 0,
});

/** In milliseconds, of the requests that were due between two instants. */
export function p99(samples: readonly Sample[], from: number, until: number): number {
  const waits = samples
    .filter(([intended]) => intended >= from && intended <= until)
    .map(([intended, , completed]) => completed - intended);
  return quantileOf(waits, 0.99) / 1e3;
}
