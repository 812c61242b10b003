/**
 * A trial on real processes: servers and write clients on machines of their own, real TCP over an emulated
 * wide-area network, real disks, and a leader that is killed.
 *
 * Everything runs on one kernel, so there is one monotonic clock: what clients note, what servers write into
 * their logs and when faults were carried out need no adjustment to be put into one recording.
 */

import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerId } from "#node/core/identity.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { environmentOf } from "../../recording/environment.ts";
import type { ServiceRecording } from "../../recording/recording.ts";
import { sourcesOf } from "../../recording/sources.ts";
import { CannotRun } from "../../terminal/exit-code.ts";
import { Interrupted, NOTHING_YET, unlessInterrupted } from "../../terminal/interrupted.ts";
import type { ServicePlan } from "../../plan/plan.ts";
import { beyondReach } from "../../plan/fault-terms.ts";
import type { ServerPlace } from "../../workload/client-plan.ts";
import type { FinalState, ReadBackPlan } from "../../workload/final-state.ts";
import { scheduleOf } from "../../workload/schedule.ts";
import { feed } from "../../testbed/command-feed.ts";
import { isKazooHere, KAZOO_PACKAGE } from "../../testbed/environment.ts";
import { newLabel } from "../../testbed/label.ts";
import { LiveClients, type Setting } from "./clients.ts";
import type { GroupObserver, Observer } from "../observer.ts";
import { BentServers } from "./bent-servers.ts";
import { FaultsByHand, type Hand } from "./by-hand.ts";
import { LiveFaults } from "./faults.ts";
import { OwnDisks } from "./own-disks.ts";
import { Lookout } from "./lookout.ts";
import { SYSTEMS } from "../../system/catalog.ts";
import { hurried, ofContainers, priority } from "../../testbed/priority.ts";
import { LiveResources } from "./resources.ts";
import { LiveServers } from "./servers.ts";
import { measureUnderLoad } from "./loaded-network.ts";
import { CLIENT_PORT, type SystemTrial } from "../../system/system.ts";
import { surveyMachine } from "./machine-survey.ts";
import { labelledFolder } from "../../testbed/reaper.ts";
import type { Certificate } from "../../testbed/network/certificate.ts";
import { openTestbed, type Testbed } from "../../testbed/testbed.ts";

export interface LiveOptions {
  /** As it was typed. */
  readonly command: string;
  /** Ends the trial early: what was measured is given back, marked interrupted. */
  readonly signal: AbortSignal;
  readonly progress?: (phase: string) => void;
  readonly observer?: Observer;
  /** Of an election by itself. */
  readonly onlooker?: GroupObserver;
  /** Takes faults by hand. */
  readonly hand?: Hand;
  /** The folder where the logs of servers and clients are left, however the trial ends. */
  readonly logs?: string | null;
}

/**
 * The paper's, whatever this host's is: BBR stops every 10 s to measure the way, and for 0.2 s sends 4
 * packets a round trip, which over 77 ms holds 100 writes up.
 */
const CONGESTION_CONTROL = "cubic";
/** Samples of each pair of machines: 1.2 s, and means of a round trip to 0.1 %. */
const CALIBRATION_ROUNDS = 100;
/** Round-trip times are learned before the load begins, and processes come to rest. */
const REST = 1e6;
/** For servers that were cut off, paused or slow until a moment ago to come level. */
const LIFTED_MS = 20_000;

/** Throws when the ensemble does not form, or a server finds itself wrong: both are findings, not results. */
export async function runLive(plan: ServicePlan, options: LiveOptions): Promise<ServiceRecording> {
  refuse(plan);
  const { signal, progress = () => {} } = options;
  if (signal.aborted) throw new Interrupted(NOTHING_YET);
  using folder = runFolder(options.logs ?? null);
  const openedAt = performance.now();
  try {
    progress("network");
    await using testbed = await openTestbed({
      topology: plan.topology,
      infrastructure: plan.runtime === "docker" ? "docker" : "netns",
      seed: plan.seed,
      congestionControl: CONGESTION_CONTROL,
    });
    signal.throwIfAborted();
    const isByHand = options.hand !== undefined && options.hand !== null;
    const system = systemOn(testbed, plan, folder.path, isByHand);
    progress("calibration");
    const idle = await unlessInterrupted(signal, () => testbed.certify({ rounds: CALIBRATION_ROUNDS }));
    const machine = await surveyMachine();
    const scheduled = priority();
    const engine = `${idle.engine}: ${idle.remark}; ${CONGESTION_CONTROL}; ${scheduled.remark}`;
    const environment = environmentOf(engine, options.command, sourcesOf(plan.subject.oracle.module));
    options.observer?.certified("idle", idle);
    progress("ensemble");
    const setting = { folder: folder.path, priority: scheduled, signal };
    const { loaded, ...rest } = await new LiveRun(plan, testbed, system, setting, options).toEnd(openedAt);
    return { ...rest, certificates: { idle, loaded }, machine, environment };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted(NOTHING_YET, { cause: error });
  }
}

/** What the load leaves behind; what was measured before it is known already. */
type LoadedRun = Omit<ServiceRecording, "certificates" | "machine" | "environment"> & {
  readonly loaded: Certificate | null;
};

class LiveRun {
  readonly #plan: ServicePlan;
  readonly #testbed: Testbed;
  readonly #system: SystemTrial;
  readonly #setting: Setting;
  readonly #progress: (phase: string) => void;
  readonly #observer: Observer | null;
  readonly #hand: Hand | null;

  constructor(
    plan: ServicePlan,
    testbed: Testbed,
    system: SystemTrial,
    setting: Setting,
    { progress = () => {}, observer, hand }: LiveOptions,
  ) {
    this.#plan = plan;
    this.#testbed = testbed;
    this.#system = system;
    this.#setting = setting;
    this.#progress = progress;
    this.#observer = observer ?? null;
    this.#hand = hand ?? null;
  }

  async toEnd(openedAt: number): Promise<LoadedRun> {
    const { topology, phases, seed, faults, runtime, subject } = this.#plan;
    const { workload, state } = subject;
    const testbed = this.#testbed;
    const { folder, signal, priority: outside } = this.#setting;
    const inside = runtime === "docker" ? ofContainers(outside) : outside;
    await using disks = await OwnDisks.of(this.#plan, folder);
    using servers = new LiveServers(testbed, this.#plan, this.#system, folder, inside);
    const absent = state?.absent ?? [];
    await this.#separate(absent);
    await servers.form(
      [...topology.servers.keys()].filter((server) => !absent.includes(server)),
      signal,
    );
    const schedule = scheduleOf(topology, workload, phases.duration, seed);
    const clients = await LiveClients.start(testbed, this.#plan, schedule, this.#setting);
    const origin = monotonic() + REST;
    clients.begin(origin);
    await delay(REST / 1e3, undefined, { signal });
    this.#progress("load");
    const lives = (): ReturnType<typeof live> => live(servers, clients);
    using _ = hurried(outside);
    using resources = new LiveResources(lives, testbed.network, openedAt);
    const bent = new BentServers(this.#system, servers, disks, folder);
    const carried = new LiveFaults(testbed, servers, bent, absent);
    using byHand = new FaultsByHand(this.#plan, carried, origin, this.#hand);
    using lookout = this.#lookout({ servers, clients, faults: carried }, origin);
    const loaded = measureUnderLoad(testbed, this.#plan, signal).then(measured, notMeasured);
    void loaded.then(({ value }) => value !== null && this.#observer?.certified("loaded", value));
    const interrupted = await this.#load(servers, clients, carried.carryOut(faults, origin, signal));
    const used = await resources.total().then(measured, notMeasured);
    lookout?.look();
    lookout?.[Symbol.dispose]();
    this.#progress("check");
    const events = servers.events(origin);
    const lifted = !interrupted && (await carried.lift());
    const looked = interrupted
      ? measured<readonly FinalState[]>([])
      : await this.#readBack(servers, schedule.clients, lifted).then(measured, notMeasured);
    const { value: certificate, whyNot } = interrupted ? measured(null) : await loaded;
    return {
      plan: byHand.plan,
      clients: schedule.clients,
      operations: clients.operations(),
      // What servers tell of the lifting is not of the trial.
      events: lifted ? events : servers.events(origin),
      marks: carried.marks,
      lifted,
      loaded: interrupted ? null : certificate,
      finals: looked.value ?? [],
      resources: used.value ?? [],
      unmeasured: {
        ...(!interrupted && whyNot !== null && { loaded: whyNot }),
        ...(used.whyNot !== null && { resources: used.whyNot }),
        ...(looked.whyNot !== null && { finals: looked.whyNot }),
      },
      interrupted: interrupted || this.#setting.signal.aborted,
    };
  }

  /** Null when nobody looks on. */
  #lookout(on: ConstructorParameters<typeof Lookout>[1], origin: number): Lookout | null {
    return this.#observer === null ? null : new Lookout(this.#observer, on, origin);
  }

  /** Who is absent never hears from the first leader, which would bring it level before it dies. */
  async #separate(absent: readonly number[]): Promise<void> {
    const leader = `p${this.#plan.subject.firstLeader}`;
    for (const server of absent) {
      await this.#testbed.network.cut(`p${server}`, leader);
      await this.#testbed.network.cut(leader, `p${server}`);
    }
  }

  /** Waits for the end of the load, or for an interruption: was it one? */
  async #load(servers: LiveServers, clients: LiveClients, faults: Promise<void>): Promise<boolean> {
    const { signal } = this.#setting;
    const aborted = new Promise<"aborted">((resolve) => {
      signal.addEventListener("abort", () => resolve("aborted"), { once: true });
    });
    const whole = Promise.all([clients.done(), faults]);
    whole.catch(() => {});
    if (!signal.aborted && (await Promise.race([whole, aborted])) !== "aborted") {
      servers.checkLiving();
      return false;
    }
    await clients.stop();
    return true;
  }

  async #readBack(
    servers: LiveServers,
    clients: readonly { readonly id: number }[],
    lifted: boolean,
  ): Promise<readonly FinalState[]> {
    const { machines, infrastructure } = this.#testbed;
    const { signal } = this.#setting;
    await servers.level(signal, lifted ? LIFTED_MS : this.#plan.phases.drain / 1e3);
    const places = servers.living.map(
      (id): ServerPlace => ({ id, host: this.#testbed.machine(`p${id}`).address }),
    );
    const [first] = places;
    const from = first === undefined ? undefined : machines.get(`p${first.id}`);
    if (from === undefined) return [];
    const told: ReadBackPlan = {
      servers: places,
      clientPort: CLIENT_PORT,
      clients: clients.map(({ id }) => id),
    };
    const { readBack } = SYSTEMS[this.#plan.subject.system].speakers;
    const command = [...infrastructure.enter(from), ...readBack, JSON.stringify(told)];
    return JSON.parse(await feed(command, "", signal)) as readonly FinalState[];
  }
}

interface Measured<Value> {
  readonly value: Value | null;
  readonly whyNot: string | null;
}

const measured = <Value>(value: Value): Measured<Value> => ({ value, whyNot: null });

const notMeasured = (error: unknown): Measured<never> => ({
  value: null,
  whyNot: `it could not be measured: ${error instanceof Error ? error.message : String(error)}`,
});

const live = (servers: LiveServers, clients: LiveClients) => [...servers.lives, ...clients.lives];

/** `isByHand`: whoever looks on may strike. */
export function systemOn(testbed: Testbed, plan: ServicePlan, folder: string, isByHand = false): SystemTrial {
  const { node, source } = testbed.infrastructure;
  const addressOf = (server: ServerId): string => testbed.machine(`p${server}`).address;
  const { topology, runtime, subject, faults } = plan;
  const isMoved = isByHand || faults.some(({ fault }) => fault.kind === "transfer");
  const terms = { ...subject, topology, runtime, faults, isMoved };
  return SYSTEMS[subject.system].trial({ terms, folder, addressOf, node, source });
}

/** Whatever a plan may say that this runtime cannot do. */
function refuse({ runtime, faults, subject: { system, oracle, workload } }: ServicePlan): void {
  const [beyond] = beyondReach({ runtime, system, faults });
  if (beyond !== undefined) throw new CannotRun(beyond);
  const missing = SYSTEMS[system].missing();
  if (missing !== null) throw new CannotRun(missing);
  if (workload.client === "kazoo" && !isKazooHere())
    throw new CannotRun(`kazoo is missing: ${KAZOO_PACKAGE}`);
  if (runtime === "docker" && oracle.module !== null) {
    throw new CannotRun(
      "the image holds no oracle but the catalog's: take RUNTIME=netns for one of your own",
    );
  }
}

/** Goes away with the run, but for its logs. */
function runFolder(logs: string | null): Disposable & { readonly path: string } {
  const path = labelledFolder("live", newLabel());
  return {
    path,
    [Symbol.dispose]: () => {
      if (logs !== null) keepLogs(path, logs);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function keepLogs(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  const names = existsSync(from) ? readdirSync(from).filter((name) => name.endsWith(".log")) : [];
  if (names.length > 0) mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, name));
}
