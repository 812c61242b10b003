/**
 * A trial in virtual time: the same replica, the same plan, the same recording as on real machines, and two
 * minutes pass in seconds. What kernels, disks and processes add is three numbers here
 * (`simulated-machine.ts`); all else that it shows is what the protocol does.
 */

import { assert } from "#node/core/assert.ts";
import { clientId, type ServerId } from "#node/core/identity.ts";
import { after, type Instant, microseconds, milliseconds, seconds } from "#node/core/time.ts";
import { ZERO } from "#node/core/zxid.ts";
import { Traffic } from "#node/host/traffic.ts";
import { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import { replicaCodec } from "#node/host/replica-codec.ts";
import { oracles } from "#node/oracle/catalog.ts";
import type { Oracle } from "#node/oracle/oracle.ts";
import { preference } from "#node/oracle/preference.ts";
import { KeyValueMachine } from "#node/replica/key-value.ts";
import { decodeReply, encodeOperation, encodeQuery } from "#node/replica/key-value-operation.ts";
import { Replica } from "#node/replica/replica.ts";
import type { ReplicaOutput, ReplicaProtocol } from "#node/replica/replica-protocol.ts";
import { environmentOf } from "../../recording/environment.ts";
import type { FinalState, ServiceRecording } from "../../recording/recording.ts";
import type { RecordedEvent } from "../../system/system.ts";
import { sourcesAsLoaded } from "../../recording/sources.ts";
import { Interrupted, NOTHING_YET } from "../../terminal/interrupted.ts";
import type { OraclePlan, ServicePlan } from "../../plan/plan.ts";
import { scheduleOf } from "../../workload/schedule.ts";
import type { Client } from "../../workload/workload.ts";
import { keyOf, SimulatedClients } from "./clients.ts";
import { SimulatedFaults } from "./faults.ts";
import { MACHINE, printMachine, type SimulatedMachine } from "./machine.ts";
import { SimulatedNetwork } from "./network.ts";

/**
 * Throws when the ensemble does not form, or a replica fails an assertion: both are findings, not results.
 */
export function simulate(plan: ServicePlan, command = "", machine = MACHINE): ServiceRecording {
  const steps = recorded(plan, { command, machine });
  for (let step = steps.next(false); ; step = steps.next(false)) if (step.done === true) return step.value;
}

/** The same, giving way in between to whatever else there is to do, such as to notice Ctrl-C. */
export async function simulateUntil(
  plan: ServicePlan,
  signal: AbortSignal,
  options: SimulationOptions = {},
): Promise<ServiceRecording> {
  const steps = recorded(plan, options);
  let step = steps.next(signal.aborted);
  while (step.done !== true) {
    await new Promise((resolve) => setImmediate(resolve));
    step = steps.next(signal.aborted);
  }
  return step.value;
}

export interface SimulationOptions {
  /** As it was typed. */
  readonly command?: string;
  readonly machine?: SimulatedMachine;
  /** Judges instead of the catalog's. */
  readonly oracle?: () => Oracle;
}

/** Pauses now and then to be told whether to stop. */
type Steps<Result> = Generator<void, Result, boolean>;

function* recorded(plan: ServicePlan, options: SimulationOptions): Steps<ServiceRecording> {
  const { command = "", machine = MACHINE } = options;
  const started = process.cpuUsage();
  const recording = yield* new SimulatedRun(plan, machine, options.oracle ?? null).toEnd();
  if (recording === null) throw new Interrupted(NOTHING_YET);
  const { user, system } = process.cpuUsage(started);
  const usage = { who: "simulator", cpuSeconds: (user + system) / 1e6, peakBytes: process.memoryUsage().rss };
  const engine = `virtual time: ${printMachine(machine)}`;
  const environment = environmentOf(engine, command, sourcesAsLoaded(plan.subject.oracle.module));
  return { ...recording, resources: [usage], environment };
}

class SimulatedRun {
  readonly #plan: ServicePlan;
  readonly #machine: SimulatedMachine;
  readonly #oracle: (() => Oracle) | null;
  readonly #servers: readonly ServerId[];
  readonly #network: SimulatedNetwork;
  readonly #ensemble: VirtualEnsemble<ReplicaProtocol>;
  readonly #states = new Map<ServerId, KeyValueMachine>();
  readonly #traffic = new Map<ServerId, Traffic>();
  readonly #events: { at: Instant; event: Omit<RecordedEvent, "at"> }[] = [];
  #clients: SimulatedClients | null = null;
  #formed = false;

  constructor(plan: ServicePlan, machine: SimulatedMachine, oracle: (() => Oracle) | null) {
    this.#plan = plan;
    this.#machine = machine;
    this.#oracle = oracle;
    this.#servers = [...plan.topology.servers.keys()];
    this.#network = new SimulatedNetwork(plan.topology, machine.handling);
    this.#ensemble = new VirtualEnsemble<ReplicaProtocol>({
      servers: this.#servers,
      seed: plan.seed,
      codec: replicaCodec,
      network: { link: (from, to) => this.#network.link(from, to), dialing: DIALING },
      disk: () => ({ sync: machine.sync }),
      create: (self) => this.#replica(self),
      // Nobody changes what is another's: the swarm looks for that.
      readOnce: true,
      observer: {
        output: (server, output, time) => this.#heard(server, output, time),
        sent: (server, message, receivers, bytes) =>
          this.#traffic.get(server)?.count(message, receivers, bytes),
        input: (server, input, time) => {
          if (input.kind === "turn") this.#tellTraffic(server, time);
        },
      },
    });
  }

  /** Null when it was stopped before the load began. */
  *toEnd(): Steps<Omit<ServiceRecording, "resources" | "environment"> | null> {
    const { topology, phases, seed, faults, subject } = this.#plan;
    const { workload, state, firstLeader } = subject;
    const absent = state?.absent ?? [];
    const present = this.#servers.filter((server) => !absent.includes(server));
    for (const server of this.#servers) this.#ensemble.start(server);
    if (yield* this.#form(this.#servers)) return null;
    for (const server of absent) {
      this.#ensemble.cut(server, firstLeader);
      this.#ensemble.cut(firstLeader, server);
      this.#ensemble.crashProcess(server);
    }
    if (state !== null && (yield* this.#fill(state.bytes, present))) return null;
    const schedule = scheduleOf(topology, workload, phases.duration, seed);
    const origin = after(this.#ensemble.now, REST);
    const [crashed, unusable, cutWays] = [new Set(absent), new Set(absent), new Set<string>()];
    const ensemble = this.#ensemble;
    const { handling, exit } = this.#machine;
    const around = { topology, ensemble, handling, unusable, cutWays };
    const clients = new SimulatedClients(around, schedule, origin);
    this.#clients = clients;
    const network = this.#network;
    const leader = (): ServerId | null => this.#leader();
    const stage = { topology, ensemble, network, clients, crashed, unusable, cutWays, exit, leader };
    const { marks } = new SimulatedFaults(stage, faults, origin);
    const end = after(origin, microseconds(phases.duration + phases.drain));
    const interrupted = yield* this.#run(end);
    clients.finish();
    return {
      plan: this.#plan,
      clients: schedule.clients,
      operations: clients.operations,
      events: this.#events.map(({ at, event }) => ({ at: at - origin, ...event })),
      marks,
      certificates: { idle: null, loaded: null },
      machine: null,
      finals: interrupted ? [] : this.#finals(schedule.clients),
      interrupted,
    };
  }

  /** True when it was stopped on the way, as the others below. */
  *#run(until: Instant): Steps<boolean> {
    while (this.#ensemble.now < until) {
      this.#ensemble.run(Math.min(after(this.#ensemble.now, STEP), until) as Instant);
      if (yield) return true;
    }
    return false;
  }

  /** Runs until everybody follows the first leader. */
  *#form(present: readonly ServerId[]): Steps<boolean> {
    const deadline = after(this.#ensemble.now, FORMATION);
    const { firstLeader } = this.#plan.subject;
    const follows = (server: ServerId): boolean => this.#replicaOf(server)?.status.leader === firstLeader;
    while (!present.every(follows)) {
      assert(this.#ensemble.now < deadline, `the ensemble was not led by p${firstLeader} within 30 s`);
      this.#ensemble.run(after(this.#ensemble.now, milliseconds(10)));
      if (yield) return true;
    }
    this.#formed = true;
    return false;
  }

  /** Writes the initial state, a little at a time, and waits until all who are there have it. */
  *#fill(bytes: number, present: readonly ServerId[]): Steps<boolean> {
    const { firstLeader } = this.#plan.subject;
    const client = clientId(FILLER);
    this.#ensemble.request(firstLeader, { kind: "attach", client, seen: ZERO });
    const count = Math.ceil(bytes / FILL_BYTES);
    const value = new Uint8Array(FILL_BYTES);
    for (let id = 0; id < count; id++) {
      const payload = encodeOperation({ kind: "put", key: `state-${id}`, value });
      this.#ensemble.request(firstLeader, { kind: "write", client, id, payload });
      if (id % FILL_AT_ONCE !== 0) continue;
      this.#ensemble.run(after(this.#ensemble.now, milliseconds(50)));
      if (yield) return true;
    }
    const isLevel = (server: ServerId): boolean =>
      this.#states.get(server)?.applied === this.#states.get(firstLeader)?.applied;
    do if (yield* this.#run(after(this.#ensemble.now, seconds(1)))) return true;
    while (!present.every(isLevel));
    return false;
  }

  #replica(self: ServerId): Replica {
    const { oracle, election, heartbeat, firstLeader, state } = this.#plan.subject;
    const machine = new KeyValueMachine();
    this.#states.set(self, machine);
    this.#traffic.set(self, new Traffic(self));
    return new Replica({
      self,
      servers: this.#servers,
      machine,
      oracle: this.#oracle?.() ?? catalogued(oracle),
      // Who comes later must judge as all others do by then.
      firstOracle: this.#formed ? undefined : preference([firstLeader]),
      election,
      heartbeat: { period: heartbeat },
      broadcast: state === null ? {} : { historyBytes: state.historyBytes },
    });
  }

  #heard(server: ServerId, output: ReplicaOutput, time: Instant): void {
    if (output.kind === "event") {
      this.#traffic.get(server)?.observe(output.event, time);
      this.#events.push({ at: time, event: { server, event: output.event } });
    } else this.#clients?.answered(server, output, time);
  }

  #tellTraffic(server: ServerId, time: Instant): void {
    const event = this.#traffic.get(server)?.due(time) ?? null;
    if (event !== null) this.#events.push({ at: time, event: { server, event } });
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
        const machine = this.#states.get(server);
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

function catalogued({ name, preference: ranked, module }: OraclePlan): Oracle {
  assert(module === null, `the oracle of ${module} was not loaded`);
  return oracles[name].create({ preference: ranked });
}

const FORMATION = seconds(30);
/** Some 10 ms of the processor's time under load. */
const STEP = milliseconds(50);
/** Whoever comes back is connected to soon, as it is meant to be there when the leader dies. */
const DIALING = { answer: seconds(1), first: milliseconds(50), last: milliseconds(100) };
/** No client of a schedule has this number. */
const FILLER = 2 ** 31;
const FILL_BYTES = 32 * 1024;
/** A megabyte each 50 ms. */
const FILL_AT_ONCE = 32;
/** Round-trip times and rates are learned before the load begins. */
const REST = seconds(3);
