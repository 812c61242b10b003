/**
 * A trial in virtual time: the same servers and clients, the same plan, the same recording as on real
 * machines, and two minutes pass in seconds. What kernels, disks and processes add is three numbers here
 * (`machine.ts`); all else that it shows is what the protocols do.
 */

import { joined } from "#node/core/pieces.ts";
import { assert } from "#node/core/assert.ts";
import { Random } from "#node/core/random.ts";
import { clientId, type ServerId } from "#node/core/identity.ts";
import { after, type Duration, type Instant, microseconds, milliseconds, seconds } from "#node/core/time.ts";
import { Question } from "#node/client/question.ts";
import { secretsFor } from "#node/config/secrets.ts";
import { Server, type ServerOutput, type ServerProtocol } from "#node/front/server.ts";
import { Traffic } from "#node/host/traffic.ts";
import { VirtualClients, VirtualSession } from "#node/host/virtual/clients.ts";
import { VirtualEnsemble } from "#node/host/virtual/ensemble.ts";
import { replicaCodec } from "#node/host/replica-codec.ts";
import type { Oracle } from "#node/oracle/oracle.ts";
import { stated } from "#node/oracle/preference.ts";
import { DEFAULTS, payloadOf } from "#node/tree/payload.ts";
import { Tree } from "#node/tree/tree.ts";
import { OPEN } from "#node/wire/client/acl.ts";
import { ERRORS } from "#node/wire/client/error.ts";
import { PASSWORD_BYTES } from "#node/wire/client/handshake.ts";
import { JuteReader } from "#node/wire/client/jute.ts";
import { readReply } from "#node/wire/client/request.ts";
import { commitAsLoaded, environmentOf } from "../../recording/environment.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import type { RecordedEvent } from "../../system/system.ts";
import { sourcesAsLoaded } from "../../recording/sources.ts";
import { Interrupted, NOTHING_YET } from "../../terminal/interrupted.ts";
import { catalogued, resignOf } from "../../plan/oracle-plan.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import type { FinalState } from "../../workload/final-state.ts";
import { scheduleOf } from "../../workload/schedule.ts";
import type { Client } from "../../workload/workload.ts";
import { ID_BYTES, znodeOf } from "../../workload/client-plan.ts";
import { clientsOf } from "../../testbed/network/network.ts";
import { NotFormed, notLed } from "../not-formed.ts";
import type { Observer } from "../observer.ts";
import { type Load, openLoad, SimulatedClients } from "./clients.ts";
import { SimulatedFaults, wayKey } from "./faults.ts";
import { lookout } from "./lookout.ts";
import { MACHINE, printMachine, type SimulatedMachine } from "./machine.ts";
import { SimulatedNetwork } from "./network.ts";
import { atOnce, type Steps, untilAborted } from "./steps.ts";

/** Throws a NotFormed, or when a replica fails an assertion: both are findings, not results. */
export function simulate(plan: ServicePlan, command = "", machine = MACHINE): ServiceRecording {
  return simulateWith(plan, { command, machine });
}

export const simulateWith = (plan: ServicePlan, options: SimulationOptions): ServiceRecording =>
  atOnce(recorded(plan, options));

/** The same, giving way in between to whatever else there is to do, such as to notice Ctrl-C. */
export const simulateUntil = (
  plan: ServicePlan,
  signal: AbortSignal,
  options: SimulationOptions = {},
): Promise<ServiceRecording> => untilAborted(recorded(plan, options), signal);

export interface SimulationOptions {
  /** As it was typed. */
  readonly command?: string;
  readonly machine?: SimulatedMachine;
  /** Judges instead of the catalog's. */
  readonly oracle?: OracleMaker | null;
  readonly observer?: Observer | null;
  /** Instead of the plan's workload. */
  readonly load?: Load | null;
}

function* recorded(plan: ServicePlan, options: SimulationOptions): Steps<ServiceRecording> {
  const { command = "", machine = MACHINE, oracle = null, observer = null, load = null } = options;
  const started = process.cpuUsage();
  const recording = yield* new SimulatedRun(plan, { machine, oracle, observer, load }).toEnd();
  if (recording === null) throw new Interrupted(NOTHING_YET);
  const { user, system } = process.cpuUsage(started);
  const usage = { who: "simulator", cpuSeconds: (user + system) / 1e6, peakBytes: process.memoryUsage().rss };
  const engine = `virtual time: ${printMachine(machine)}`;
  const sources = sourcesAsLoaded(plan.subject.oracle.module);
  const environment = environmentOf(engine, command, sources, commitAsLoaded());
  return { ...recording, resources: [usage], unmeasured: {}, environment };
}

/** Told how to ask for the time since the load began; -Infinity until that is known. */
type OracleMaker = (now: () => number) => Oracle;

type Surroundings = Required<Omit<SimulationOptions, "command">>;

class SimulatedRun {
  readonly #plan: ServicePlan;
  readonly #machine: SimulatedMachine;
  readonly #oracle: OracleMaker | null;
  readonly #observer: Observer | null;
  readonly #load: Load | null;
  readonly #servers: readonly ServerId[];
  readonly #network: SimulatedNetwork;
  readonly #ensemble: VirtualEnsemble<ServerProtocol>;
  readonly #trees = new Map<ServerId, Tree>();
  /** Servers whose machine has no power, and ways between clients' sites and servers that are cut. */
  readonly #dark = new Set<ServerId>();
  readonly #cutWays = new Set<string>();
  readonly #clients: VirtualClients;
  readonly #passwords: Random;
  readonly #traffic = new Map<ServerId, Traffic>();
  readonly #events: { at: Instant; event: Omit<RecordedEvent, "at"> }[] = [];
  #formed = false;
  #origin = Number.POSITIVE_INFINITY;
  #isOver = false;

  constructor(plan: ServicePlan, { machine, oracle, observer, load }: Surroundings) {
    this.#plan = plan;
    this.#machine = machine;
    this.#oracle = oracle;
    this.#observer = observer;
    this.#load = load;
    this.#servers = [...plan.topology.servers.keys()];
    this.#network = new SimulatedNetwork(plan.topology, machine.handling);
    this.#passwords = new Random(plan.seed).fork();
    this.#ensemble = new VirtualEnsemble<ServerProtocol>({
      servers: this.#servers,
      seed: plan.seed,
      codec: { ...replicaCodec },
      network: { link: (from, to) => this.#network.link(from, to), dialing: DIALING },
      disk: () => ({ sync: machine.sync }),
      create: (self) => this.#server(self),
      // Nobody changes what is another's: the swarm looks for that.
      readOnce: true,
      observer: {
        output: (server, output, time) => this.#heard(server, output, time),
        sent: (server, message, receivers, bytes) =>
          this.#traffic.get(server)?.count(message, receivers, bytes),
        crashed: (server) => {
          if (!this.#dark.has(server)) this.#clients.processDied(server);
        },
        input: (server, input, time) => {
          if (input.kind === "turn") this.#tellTraffic(server, time);
        },
      },
    });
    const ensemble = this.#ensemble;
    this.#clients = new VirtualClients({
      get now() {
        return ensemble.now;
      },
      at: (time, action) => ensemble.at(time, action),
      request: (server, request) => ensemble.request(server, request),
      isOn: (server) => !this.#dark.has(server),
      way: (from, to) => this.#network.between(this.#machineOf(from), this.#machineOf(to)).delay,
      isCut: (site, server) => this.#cutWays.has(wayKey(site, server)),
    });
  }

  #machineOf(where: ServerId | { readonly place: string }): string {
    return typeof where === "number" ? `p${where}` : clientsOf(where.place);
  }

  /** Null when it was stopped before the load began. */
  *toEnd(): Steps<Omit<ServiceRecording, "resources" | "unmeasured" | "environment"> | null> {
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
    const load = this.#load ?? openLoad(scheduleOf(topology, workload, phases.duration, seed));
    const { schedule } = load;
    const writers = new SimulatedClients(this.#clients, topology, load);
    if (yield* this.#until(() => writers.arePrepared, noSessions)) return null;
    const origin = after(this.#ensemble.now, REST);
    this.#origin = origin;
    writers.begin(origin);
    const faulty = new SimulatedFaults(
      {
        topology,
        ensemble: this.#ensemble,
        network: this.#network,
        clients: this.#clients,
        absent,
        dark: this.#dark,
        cutWays: this.#cutWays,
        exit: this.#machine.exit,
        leader: () => this.#leader(),
      },
      faults,
      origin,
    );
    const end = after(origin, microseconds(phases.duration + phases.drain));
    const looked = { events: this.#events, writers, faulty, ensemble: this.#ensemble };
    const interrupted = yield* this.#run(end, lookout(this.#observer, looked, origin));
    this.#isOver = true;
    writers.finish();
    const lifted = !interrupted && faulty.lift();
    if (!interrupted) yield* this.#settle(writers);
    return {
      plan: this.#plan,
      clients: schedule.clients,
      operations: writers.ended(),
      events: this.#events.map(({ at, event }) => ({ at: at - origin, ...event })),
      marks: faulty.marks,
      certificates: { idle: null, loaded: null },
      machine: null,
      lifted,
      finals: interrupted ? [] : this.#finals(schedule.clients),
      interrupted,
    };
  }

  /** True when it was stopped on the way, as the others below. */
  *#run(until: Instant, look = (): void => {}): Steps<boolean> {
    while (this.#ensemble.now < until) {
      this.#ensemble.run(Math.min(after(this.#ensemble.now, STEP), until) as Instant);
      look();
      if (yield) return true;
    }
    return false;
  }

  /** Runs until everybody follows the first leader. */
  *#form(present: readonly ServerId[]): Steps<boolean> {
    const { firstLeader } = this.#plan.subject;
    const follows = (server: ServerId): boolean => this.#serverOf(server)?.status.leader === firstLeader;
    const leaders = (): ReadonlyMap<ServerId, ServerId | null> =>
      new Map(present.map((server) => [server, this.#serverOf(server)?.status.leader ?? null]));
    if (
      yield* this.#until(
        () => present.every(follows),
        () => notLed(this.#plan, leaders(), "30 s"),
      )
    )
      return true;
    this.#formed = true;
    return false;
  }

  *#until(isSo: () => boolean, otherwise: () => NotFormed): Steps<boolean> {
    const deadline = after(this.#ensemble.now, FORMATION);
    while (!isSo()) {
      if (this.#ensemble.now >= deadline) throw otherwise();
      this.#ensemble.run(after(this.#ensemble.now, milliseconds(10)));
      if (yield) return true;
    }
    return false;
  }

  /** Sessions end, and whoever was behind comes level, if that happens at all. */
  *#settle(writers: SimulatedClients): Steps<boolean> {
    const deadline = after(this.#ensemble.now, SETTLING);
    while (!(writers.haveFinished && this.#areLevel(this.#running)) && this.#ensemble.now < deadline) {
      this.#ensemble.run(after(this.#ensemble.now, STEP));
      if (yield) return true;
    }
    return false;
  }

  get #running(): readonly ServerId[] {
    return this.#servers.filter((server) => this.#ensemble.isRunning(server));
  }

  #areLevel(servers: readonly ServerId[]): boolean {
    return new Set(servers.map((server) => this.#trees.get(server)?.applied)).size <= 1;
  }

  /** A client of the first leader writes the initial state; then all who are there come level. */
  *#fill(bytes: number, present: readonly ServerId[]): Steps<boolean> {
    const { firstLeader } = this.#plan.subject;
    const left = Array.from({ length: Math.ceil(bytes / FILL_BYTES) }, (_, index) => `/state/${index}`);
    let isFilled = false;
    const filler: VirtualSession<null> = new VirtualSession<null>(this.#clients, {
      place: this.#plan.topology.servers.get(firstLeader) ?? "",
      servers: [firstLeader],
      policy: { pace: { kind: "window", underWay: FILL_AT_ONCE } },
      heard: (event) => {
        if (event.kind === "ended") isFilled = true;
        if (event.kind !== "answered") return;
        assert(event.error === ERRORS.ok, () => `the initial state was refused: ${event.error}`);
        if (filler.state.underWay + filler.state.waiting === 0) filler.close();
      },
    });
    const value = new Uint8Array(FILL_BYTES);
    for (const path of ["/state", ...left]) {
      const data = path === "/state" ? new Uint8Array(0) : value;
      filler.ask(new Question({ kind: "create", path, data, acl: OPEN, flags: 0, ttl: -1 }), null);
    }
    filler.connect();
    while (!isFilled) if (yield* this.#run(after(this.#ensemble.now, STEP))) return true;
    do if (yield* this.#run(after(this.#ensemble.now, seconds(1)))) return true;
    while (!this.#areLevel(present));
    return false;
  }

  #server(self: ServerId): Server {
    const { oracle, election, heartbeat, firstLeader, state } = this.#plan.subject;
    const tree = new Tree();
    this.#trees.set(self, tree);
    this.#traffic.set(self, new Traffic(self));
    return new Server({
      tree,
      readOnly: false,
      front: {
        self,
        tick: TICK,
        timeouts: { least: (2 * TICK) as Duration, most: (20 * TICK) as Duration },
        skipAcl: false,
        patience: seconds(10),
        secrets: { ...secretsFor({ superDigest: "" }), password: () => this.#password() },
        options: DEFAULTS,
      },
      replica: {
        servers: this.#servers,
        oracle: this.#oracle?.(() => this.#ensemble.now - this.#origin) ?? catalogued(oracle),
        resign: resignOf(this.#plan.subject),
        // Who comes later must judge as all others do by then.
        firstOracle: this.#formed ? undefined : stated([firstLeader]),
        election,
        heartbeat: { period: heartbeat },
        broadcast: state === null ? {} : { historyBytes: state.historyBytes },
      },
    });
  }

  /** By the seed, like all else that is drawn. */
  #password(): Uint8Array {
    return Uint8Array.from({ length: PASSWORD_BYTES }, () => this.#passwords.integer(0, 255));
  }

  #heard(server: ServerId, output: ServerOutput, time: Instant): void {
    if (output.kind === "event") {
      if (this.#isOver) return;
      this.#traffic.get(server)?.observe(output.event, time);
      this.#events.push({ at: time, event: { server, event: output.event } });
    } else if (output.kind !== "word") this.#clients.heard(output);
  }

  #tellTraffic(server: ServerId, time: Instant): void {
    const event = this.#traffic.get(server)?.due(time) ?? null;
    if (event !== null && !this.#isOver) this.#events.push({ at: time, event: { server, event } });
  }

  #serverOf(server: ServerId): Server | null {
    return this.#ensemble.automaton(server) as Server | null;
  }

  #leader(): ServerId | null {
    let newest: { server: ServerId; epoch: number } | null = null;
    for (const server of this.#servers) {
      const status = this.#serverOf(server)?.status;
      if (status?.role !== "leading" || status.epoch === null) continue;
      if (newest === null || status.epoch > newest.epoch) newest = { server, epoch: status.epoch };
    }
    return newest?.server ?? null;
  }

  #finals(clients: readonly Client[]): readonly FinalState[] {
    return this.#running.flatMap((server) => {
      const tree = this.#trees.get(server);
      if (tree === undefined) return [];
      const keys = clients.map(({ id }) => ({ client: id, ...lastOf(tree, id) }));
      return [{ server, zxid: tree.applied, digest: tree.digest(), keys }];
    });
  }
}

/** What a client wrote last, as it would read it. */
function lastOf(tree: Tree, client: number): { lastId: number; version: number } {
  const caller = { session: 0, xid: 0, ids: [], options: DEFAULTS };
  const query = payloadOf({ kind: "getData", path: znodeOf(client), watch: false }, caller);
  const reader = new JuteReader(joined(tree.read(clientId(0), query)));
  const reply = reader.int() === ERRORS.ok ? readReply("getData", reader) : null;
  if (reply?.kind !== "getData" || reply.data === null || reply.data.length < ID_BYTES) {
    return { lastId: -1, version: 0 };
  }
  const { data, stat } = reply;
  return { lastId: new DataView(data.buffer, data.byteOffset).getUint32(0), version: stat.version };
}

const FORMATION = seconds(30);
const noSessions = (): NotFormed =>
  new NotFormed("the ensemble formed, but within 30 s not every client had a session with its server");
/** Some 10 ms of the processor's time under load. */
const STEP = milliseconds(50);
/** Whoever comes back is connected to soon, as it is meant to be there when the leader dies. */
const DIALING = { answer: seconds(1), first: milliseconds(50), last: milliseconds(100) };
/** As servers have it that nobody tells otherwise. */
const TICK = seconds(2);
/** For sessions to end when the run is over. */
const SETTLING = seconds(5);
/** So many at once are a megabyte. */
const [FILL_BYTES, FILL_AT_ONCE] = [32 * 1024, 32];
/** Round-trip times and rates are learned before the load begins. */
const REST = seconds(3);
