/**
 * How fast the replica is when nothing real slows it down. Each benchmark does a fixed amount of work, prints
 * what it cost and a hash of what came out, so that a faster program that does something else is not taken
 * for a faster program.
 */

import { cpuUsage } from "node:process";
import { clientId, ensemble as ensembleOf, type ServerId } from "../../core/identity.ts";
import { type Duration, instant, microseconds, milliseconds, seconds } from "../../core/time.ts";
import { ZERO } from "../../core/zxid.ts";
import { groupElections } from "../../election/group-catalog.ts";
import { history } from "../../oracle/history.ts";
import { KeyValueMachine } from "../../testing/replica/key-value.ts";
import { encodeOperation } from "../../testing/replica/key-value-operation.ts";
import { Replica } from "../../replica/replica.ts";
import type { ReplicaProtocol } from "../../replica/replica-protocol.ts";
import { firstRound } from "./group-election-world.ts";
import { replicaCodec } from "../replica-codec.ts";
import { VirtualEnsemble } from "./ensemble.ts";

const SERVERS = ensembleOf([1, 2, 3, 4, 5]);

interface Bench {
  readonly ensemble: VirtualEnsemble<ReplicaProtocol>;
  readonly leader: ServerId;
  answered(): number;
}

/**
 * Five servers with a leader, a client attached to each. They share one heap, so each keeps a mebibyte of
 * history in memory instead of 64: with those the collector alone would take a third of the time.
 */
function ready(delay: Duration, sync: Duration): Bench {
  let answers = 0;
  let leader: ServerId | null = null;
  const ensemble = new VirtualEnsemble<ReplicaProtocol>({
    servers: SERVERS,
    seed: 1,
    codec: replicaCodec,
    readOnce: true,
    network: { link: () => ({ delay, jitter: delay === 0 ? 0 : 0.02 }) },
    disk: () => ({ sync }),
    create: (self) =>
      new Replica({
        self,
        servers: SERVERS,
        machine: new KeyValueMachine(),
        oracle: history,
        broadcast: { historyBytes: 2 ** 20, checkpointTransactions: 30_000 },
      }),
    observer: {
      output: (_server, output) => {
        if (output.kind === "reply") answers += 1;
        else if (output.kind === "event" && output.event.kind === "serving") leader = output.event.leader;
      },
    },
  });
  for (const server of SERVERS) ensemble.start(server);
  ensemble.run(instant(seconds(5)));
  if (leader === null) throw new Error("the benchmark's ensemble found no leader");
  for (const server of SERVERS)
    ensemble.request(server, { kind: "attach", client: clientId(server), seen: ZERO });
  return { ensemble, leader, answered: () => answers };
}

/** Made beforehand: what a client does is not what is measured. */
const PAYLOADS = Array.from({ length: 1000 }, (_, key) =>
  encodeOperation({ kind: "put", key: `k${key}`, value: new Uint8Array(1024).fill(7) }),
);

function write(bench: Bench, server: ServerId, id: number): void {
  const payload = PAYLOADS[id % PAYLOADS.length] as Uint8Array;
  bench.ensemble.request(server, { kind: "write", client: clientId(server), tag: id, payload });
}

/** 1,000 writes a second for two minutes on a network with distances and disks with a latency. */
function twoMinutes(): string {
  const bench = ready(milliseconds(5), microseconds(100));
  const { ensemble } = bench;
  const start = ensemble.now;
  const writes = 120_000;
  let next = 0;
  const ask = (): void => {
    write(bench, SERVERS[next % SERVERS.length] as ServerId, next);
    next += 1;
    if (next < writes) ensemble.at(instant(start + next * 1000), ask);
  };
  const before = cpuUsage();
  ensemble.at(instant(start), ask);
  ensemble.run(instant(start + seconds(121)));
  const cpu = cpuSeconds(before);
  if (bench.answered() !== writes)
    throw new Error(`only ${bench.answered()} of ${writes} writes were answered`);
  return (
    `120 virtual seconds, 5 servers, 1,000 writes/s of 1 kB: ${cpu.toFixed(2)} s of CPU, ` +
    `${(120 / cpu).toFixed(0)} simulated seconds a second, run ${ensemble.fingerprint}`
  );
}

/**
 * Transactions through the pure core and the wire, a batch at hand at a time, no distances, no disk latency.
 */
function core(): string {
  const bench = ready(microseconds(0), microseconds(0));
  const { ensemble, leader } = bench;
  const batch = 500;
  const batches = 400;
  const begin = cpuUsage();
  for (let round = 0; round < batches; round++) {
    for (let each = 0; each < batch; each++) write(bench, leader, round * batch + each);
    ensemble.run(instant(ensemble.now + 1));
  }
  ensemble.run(instant(ensemble.now + seconds(1)));
  const cpu = cpuSeconds(begin);
  const writes = batch * batches;
  if (bench.answered() !== writes)
    throw new Error(`only ${bench.answered()} of ${writes} writes were answered`);
  return (
    `${writes} transactions of 1 kB through 5 servers, ${batch} at hand at a time: ` +
    `${Math.round(writes / cpu).toLocaleString("en")} transactions a CPU second, run ${ensemble.fingerprint}`
  );
}

/** The first election of a thousand groups of a hundred, of whose announcements each member misses 40 %. */
function groups(): string {
  const groupsOf = { election: groupElections["le-s"], size: 100, suppress: 0.5, independent: 0.4 };
  const begin = cpuUsage();
  let announcements = 0;
  for (let seed = 0; seed < 1000; seed++) announcements += firstRound(groupsOf, seed).untilLatched;
  const cpu = cpuSeconds(begin);
  return `1000 groups of 100 elect with ${announcements} announcements: ${cpu.toFixed(2)} s of CPU`;
}

function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = cpuUsage(since);
  return (user + system) / 1e6;
}

export function benchmark(): void {
  for (const run of [core, core, core, twoMinutes, twoMinutes, twoMinutes, groups]) console.log(run());
}
