/**
 * A trial in virtual time: the same replica, the same plan, the same recording as on real machines, and two
 * minutes pass in a second. What it cannot show is what real kernels, disks and processes add; what it shows
 * is what the protocol does.
 */

import { assert } from "#node/core/assert.ts";
import { clientId, type ServerId } from "#node/core/identity.ts";
import { after, type Instant, milliseconds, seconds } from "#node/core/time.ts";
import { ZERO } from "#node/core/zxid.ts";
import { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import { replicaCodec } from "#node/host/replica-codec.ts";
import { oracles } from "#node/oracle/catalog.ts";
import { preference } from "#node/oracle/preference.ts";
import { KeyValueMachine } from "#node/replica/key-value.ts";
import { decodeReply, encodeOperation, encodeQuery } from "#node/replica/key-value-operation.ts";
import { Replica } from "#node/replica/replica.ts";
import type { ReplicaOutput, ReplicaProtocol } from "#node/replica/replica-protocol.ts";
import { environmentOf } from "../recording/environment.ts";
import type { FinalState, RecordedEvent, Recording } from "../recording/recording.ts";
import type { TrialPlan } from "../trial/plan.ts";
import { scheduleOf } from "../workload/schedule.ts";
import type { Client } from "../workload/workload.ts";
import { keyOf, SimulatedClients } from "./simulated-clients.ts";
import { SimulatedFaults } from "./simulated-faults.ts";
import { SimulatedNetwork } from "./simulated-network.ts";

/**
 * Throws when the ensemble does not form, or a replica fails an assertion: both are findings, not results.
 */
export function simulate(plan: TrialPlan, command = ""): Recording {
  const started = process.cpuUsage();
  const run = new SimulatedRun(plan);
  const recording = run.toEnd();
  const { user, system } = process.cpuUsage(started);
  const usage = { who: "simulator", cpuSeconds: (user + system) / 1e6, peakBytes: process.memoryUsage().rss };
  return { ...recording, resources: [usage], environment: environmentOf("virtual time", command) };
}

class SimulatedRun {
  readonly #plan: TrialPlan;
  readonly #servers: readonly ServerId[];
  readonly #network: SimulatedNetwork;
  readonly #ensemble: VirtualEnsemble<ReplicaProtocol>;
  readonly #machines = new Map<ServerId, KeyValueMachine>();
  readonly #events: { at: Instant; event: Omit<RecordedEvent, "at"> }[] = [];
  #clients: SimulatedClients | null = null;
  #formed = false;

  constructor(plan: TrialPlan) {
    this.#plan = plan;
    this.#servers = [...plan.topology.servers.keys()];
    this.#network = new SimulatedNetwork(plan.topology);
    this.#ensemble = new VirtualEnsemble<ReplicaProtocol>({
      servers: this.#servers,
      seed: plan.seed,
      codec: replicaCodec,
      network: { link: (from, to) => this.#network.link(from, to), dialing: DIALING },
      disk: () => ({ sync: DISK_SYNC }),
      create: (self) => this.#replica(self),
      observer: { output: (server, output, time) => this.#heard(server, output, time) },
    });
  }

  toEnd(): Omit<Recording, "resources" | "environment"> {
    const { topology, workload, phases, seed, faults, state } = this.#plan;
    const absent = state?.absent ?? [];
    const present = this.#servers.filter((server) => !absent.includes(server));
    for (const server of present) this.#ensemble.start(server);
    this.#form(present);
    if (state !== null) this.#fill(state.bytes, present);
    const schedule = scheduleOf(topology, workload, phases.duration, seed);
    const origin = after(this.#ensemble.now, REST);
    const [crashed, unusable] = [new Set(absent), new Set(absent)];
    const ensemble = this.#ensemble;
    const clients = new SimulatedClients({ topology, ensemble, seed, unusable }, schedule, origin);
    this.#clients = clients;
    const network = this.#network;
    const leader = (): ServerId | null => this.#leader();
    const stage = { topology, ensemble, network, clients, crashed, unusable, leader };
    const { marks } = new SimulatedFaults(stage, faults, origin);
    ensemble.run(after(origin, phases.duration));
    ensemble.run(after(ensemble.now, phases.drain));
    clients.finish();
    return {
      plan: this.#plan,
      clients: schedule.clients,
      operations: clients.operations,
      events: this.#events.map(({ at, event }) => ({ at: at - origin, ...event })),
      marks,
      roundTrips: [],
      finals: this.#finals(schedule.clients),
      interrupted: false,
    };
  }

  /** Runs until everybody follows the first leader. */
  #form(present: readonly ServerId[]): void {
    const deadline = after(this.#ensemble.now, FORMATION);
    const { firstLeader } = this.#plan;
    const follows = (server: ServerId): boolean => this.#replicaOf(server)?.status.leader === firstLeader;
    while (!present.every(follows)) {
      assert(this.#ensemble.now < deadline, `the ensemble was not led by p${firstLeader} within 30 s`);
      this.#ensemble.run(after(this.#ensemble.now, milliseconds(10)));
    }
    this.#formed = true;
  }

  /** Writes the initial state, a little at a time, and waits until all who are there have it. */
  #fill(bytes: number, present: readonly ServerId[]): void {
    const { firstLeader } = this.#plan;
    const client = clientId(FILLER);
    this.#ensemble.request(firstLeader, { kind: "attach", client, seen: ZERO });
    const count = Math.ceil(bytes / FILL_BYTES);
    const value = new Uint8Array(FILL_BYTES);
    for (let id = 0; id < count; id++) {
      const payload = encodeOperation({ kind: "put", key: `state-${id}`, value });
      this.#ensemble.request(firstLeader, { kind: "write", client, id, payload });
      if (id % FILL_AT_ONCE === 0) this.#ensemble.run(after(this.#ensemble.now, milliseconds(50)));
    }
    const isLevel = (server: ServerId): boolean =>
      this.#machines.get(server)?.applied === this.#machines.get(firstLeader)?.applied;
    do this.#ensemble.run(after(this.#ensemble.now, seconds(1)));
    while (!present.every(isLevel));
  }

  #replica(self: ServerId): Replica {
    const { oracle, election, heartbeat, firstLeader, state } = this.#plan;
    const machine = new KeyValueMachine();
    this.#machines.set(self, machine);
    return new Replica({
      self,
      servers: this.#servers,
      machine,
      oracle: oracles[oracle.name].create({ preference: oracle.preference }),
      // Who comes later must judge as all others do by then.
      firstOracle: this.#formed ? undefined : preference([firstLeader]),
      election: election.name,
      electionTimeout: election.timeout,
      knownDown: election.knownDown,
      heartbeat: { period: heartbeat },
      broadcast: state === null ? {} : { historyBytes: state.historyBytes },
    });
  }

  #heard(server: ServerId, output: ReplicaOutput, time: Instant): void {
    if (output.kind === "event") this.#events.push({ at: time, event: { server, event: output.event } });
    else this.#clients?.answered(server, output, time);
  }

  #replicaOf(server: ServerId): Replica | null {
    return this.#ensemble.automaton(server) as Replica | null;
  }

  #leader(): ServerId | null {
    let newest: { server: ServerId; epoch: number } | null = null;
    for (const server of this.#servers) {
      const status = this.#replicaOf(server)?.status;
      if (status?.role !== "leading" || status.epoch === null) continue;
      if (newest === null || status.epoch > newest.epoch) newest = { server, epoch: status.epoch };
    }
    return newest?.server ?? null;
  }

  #finals(clients: readonly Client[]): readonly FinalState[] {
    return this.#servers
      .filter((server) => this.#ensemble.isRunning(server))
      .flatMap((server) => {
        const machine = this.#machines.get(server);
        if (machine === undefined) return [];
        const keys = clients.map(({ id }) => {
          const { status, value, version } = decodeReply(machine.read(clientId(0), encodeQuery(keyOf(id))));
          const lastId = status === "ok" ? new DataView(value.buffer, value.byteOffset).getUint32(0) : -1;
          return { client: id, lastId, version };
        });
        return [{ server, zxid: machine.applied, digest: machine.digest(), keys }];
      });
  }
}

/** A data center SSD with power-loss protection, or a log that is prepared before it is written. */
const DISK_SYNC = milliseconds(0.1);
const FORMATION = seconds(30);
/** Whoever comes back is connected to soon, as it is meant to be there when the leader dies. */
const DIALING = { answer: seconds(1), first: milliseconds(50), last: milliseconds(100) };
/** No client of a schedule has this number. */
const FILLER = 2 ** 31;
const FILL_BYTES = 32 * 1024;
/** A megabyte each 50 ms. */
const FILL_AT_ONCE = 32;
/** Round-trip times and rates are learned before the load begins. */
const REST = seconds(3);
