/**
 * Is anything acknowledged before a quorum has it on its disks? Under load the power of all servers fails at
 * once, again and again, and with it goes whatever their disks had not confirmed; what clients were told to
 * be done must be there when the power is back.
 *
 * Each client writes one znode, whose version counts its writes.
 */

import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import type { Mutant } from "#node/core/mutant.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { type Ensemble, startEnsemble } from "../system/ensemble.ts";
import { LoadClient } from "../workload/load/client.ts";
import type { Tally } from "../workload/load/program.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { createRequest, loadRequest } from "../workload/load/request.ts";
import { PAYLOAD_BYTES } from "../bench/payload.ts";
import { SYSTEMS } from "../system/catalog.ts";
import type { System } from "../system/system.ts";
import { versionsOf } from "./versions.ts";

export interface PowerCuts {
  readonly mutant: Mutant | null;
  readonly durability: "fsync" | "none";
  /** At most; one loss is enough. */
  readonly times: number;
}

export interface Toll {
  readonly acknowledged: number;
  /** Of these, what nobody has any more. */
  readonly lost: number;
}

const SERVER = fileURLToPath(new URL("./power-cut-server.ts", import.meta.url));
/** A server is started a dozen times, and compiling it is most of its start. */
const COMPILED = fileURLToPath(new URL("../../.cache/compiled", import.meta.url));
const CLIENTS = 6;
const OUTSTANDING = 20;
const LOAD_MS = 400;

export async function cutPower({ mutant, durability, times }: PowerCuts): Promise<Toll> {
  const system: System = {
    ...SYSTEMS.polebench,
    name: "power-cut",
    command: (home) => [
      "env",
      `NODE_COMPILE_CACHE=${COMPILED}`,
      process.execPath,
      SERVER,
      home,
      mutant ?? "",
    ],
  };
  const forceSync = durability === "fsync" ? "yes" : "no";
  await using ensemble = await startEnsemble(system, 3, { forceSync });
  let [acknowledged, lost] = [0, 0];
  for (let time = 0; time < times && lost === 0; time++) {
    const counts = await loadUntilDark(ensemble);
    for (const server of ensemble.servers) server.start();
    await ensemble.ready();
    const versions = await versionsOf(ensemble, counts.length);
    for (const [client, count] of counts.entries()) {
      acknowledged += count.acknowledged;
      lost += Math.max(0, count.before + count.acknowledged - (versions[client] ?? 0));
    }
  }
  return { acknowledged, lost };
}

interface Count {
  readonly before: number;
  readonly acknowledged: number;
}

async function loadUntilDark(ensemble: Ensemble): Promise<readonly Count[]> {
  const ports = ensemble.servers.map(({ clientPort }) => clientPort);
  const plan = { request: "setData", payloadBytes: PAYLOAD_BYTES } as const;
  let heard = Promise.withResolvers<void>();
  const counters = Array.from({ length: CLIENTS }, () => new Counter(() => heard.resolve()));
  const clients = counters.map((counter, index) => new LoadClient(ports, index, counter));
  await Promise.all(
    clients.map(async (client, index) => {
      const error = await client.once(createRequest(index, plan));
      if (error !== ERRORS.ok && error !== ERRORS.nodeExists) throw new Error(`create refused: ${error}`);
      client.use(loadRequest(index, plan));
    }),
  );
  const before = await versionsOf(ensemble, CLIENTS);
  for (const client of clients) client.keep(OUTSTANDING);
  await delay(LOAD_MS);
  // The power fails just when something has been acknowledged.
  heard = Promise.withResolvers();
  await heard.promise;
  await Promise.all(ensemble.servers.map((server) => server.kill()));
  // What the servers had said before they died is heard by then.
  await delay(50);
  for (const client of clients) client.stop();
  return counters.map(({ count }, client) => ({ before: before[client] ?? 0, acknowledged: count }));
}

class Counter implements Tally {
  readonly #heard: () => void;
  count = 0;

  constructor(heard: () => void) {
    this.#heard = heard;
  }

  now(): number {
    return monotonic();
  }

  acknowledged(): void {
    this.count += 1;
    this.#heard();
  }

  refused(error: number): void {
    throw new Error(`a write was refused: ${error}`);
  }

  unknown(): void {}
}
