/**
 * A trial on real processes: servers and write clients on machines of their own, real TCP over an emulated
 * wide-area network, real disks, and a leader that is killed.
 *
 * Everything runs on one kernel, so there is one monotonic clock: what clients note, what servers write into
 * their logs and when faults were carried out need no adjustment to be put into one recording.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { monotonic } from "../bench/load/clock.ts";
import { environmentOf } from "../recording/environment.ts";
import type { AchievedRoundTrip, FinalState, Recording } from "../recording/recording.ts";
import { CannotRun, EXIT } from "../trial/exit-code.ts";
import type { TrialPlan } from "../trial/plan.ts";
import type { ServerPlace } from "../workload/client-plan.ts";
import type { ReadBackPlan } from "../workload/read-back.ts";
import { scheduleOf } from "../workload/schedule.ts";
import { feed } from "./command-feed.ts";
import { LiveClients, type Setting } from "./live-clients.ts";
import { LiveFaults } from "./live-faults.ts";
import { LiveResources } from "./live-resources.ts";
import { hurried, priority } from "./live-priority.ts";
import { CLIENT_PORT, LiveServers } from "./live-servers.ts";
import type { Certificate } from "./network/certificate.ts";
import { openTestbed, type Testbed } from "./testbed.ts";

export interface LiveOptions {
  /** As it was typed. */
  readonly command: string;
  /** Ends the trial early: what was measured is given back, marked interrupted. */
  readonly signal: AbortSignal;
  readonly progress?: (phase: string) => void;
}

/** It was stopped before anything was measured. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode = EXIT.interrupted;
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
const READ_BACK = fileURLToPath(new URL("../workload/read-back.ts", import.meta.url));

/** Throws when the ensemble does not form, or a server finds itself wrong: both are findings, not results. */
export async function runLive(plan: TrialPlan, options: LiveOptions): Promise<Recording> {
  refuse(plan);
  const { signal, progress = () => {} } = options;
  if (signal.aborted) throw new Interrupted(NOTHING_YET);
  using folder = temporaryFolder();
  const openedAt = performance.now();
  try {
    progress("network");
    await using testbed = await openTestbed({
      topology: plan.topology,
      seed: plan.seed,
      congestionControl: CONGESTION_CONTROL,
    });
    signal.throwIfAborted();
    progress("calibration");
    const certificate = await testbed.certify({ rounds: CALIBRATION_ROUNDS });
    const scheduled = priority();
    const engine = `${certificate.engine}: ${certificate.remark}; ${CONGESTION_CONTROL}; ${scheduled.remark}`;
    const environment = environmentOf(engine, options.command);
    progress("ensemble");
    const setting = { folder: folder.path, prefix: scheduled.prefix, signal };
    const recording = await new LiveRun(plan, testbed, setting, progress).toEnd(openedAt);
    return { ...recording, roundTrips: roundTripsOf(certificate), environment };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted(NOTHING_YET, { cause: error });
  }
}

class LiveRun {
  readonly #plan: TrialPlan;
  readonly #testbed: Testbed;
  readonly #setting: Setting;
  readonly #progress: (phase: string) => void;

  constructor(plan: TrialPlan, testbed: Testbed, setting: Setting, progress: (phase: string) => void) {
    this.#plan = plan;
    this.#testbed = testbed;
    this.#setting = setting;
    this.#progress = progress;
  }

  async toEnd(openedAt: number): Promise<Omit<Recording, "roundTrips" | "environment">> {
    const { topology, workload, phases, seed, faults } = this.#plan;
    const testbed = this.#testbed;
    const { folder, prefix, signal } = this.#setting;
    const servers = new LiveServers(testbed, this.#plan, folder, prefix);
    await servers.form([...topology.servers.keys()], signal);
    const schedule = scheduleOf(topology, workload, phases.duration, seed);
    const clients = await LiveClients.start(testbed, this.#plan, schedule, this.#setting);
    const origin = monotonic() + REST;
    clients.begin(origin);
    await delay(REST / 1e3, undefined, { signal });
    this.#progress("load");
    const lives = (): ReturnType<typeof live> => live(servers, clients);
    using _ = hurried(this.#setting);
    using resources = new LiveResources(lives, testbed.network, openedAt);
    const carried = new LiveFaults(testbed, servers, []);
    const interrupted = await this.#load(servers, clients, carried.carryOut(faults, origin, signal));
    const used = await resources.total().catch(() => []);
    this.#progress("check");
    return {
      plan: this.#plan,
      clients: schedule.clients,
      operations: clients.operations(),
      events: servers.events(origin),
      marks: carried.marks,
      finals: interrupted ? [] : await this.#readBack(servers, schedule.clients),
      resources: used,
      interrupted,
    };
  }

  /** Waits for the end of the load, or for an interruption: was it one? */
  async #load(servers: LiveServers, clients: LiveClients, faults: Promise<void>): Promise<boolean> {
    const { signal } = this.#setting;
    const aborted = new Promise<"aborted">((resolve) => {
      signal.addEventListener("abort", () => resolve("aborted"), { once: true });
    });
    const whole = Promise.all([clients.done(), faults]);
    try {
      if ((await Promise.race([whole, aborted])) !== "aborted") {
        servers.checkLiving();
        return false;
      }
    } catch (error) {
      // A signal from a terminal reaches all processes, and they may be gone before it is known here.
      await delay(SIGNAL_MS);
      if (!signal.aborted) throw error;
    }
    whole.catch(() => {});
    await clients.stop();
    return true;
  }

  async #readBack(
    servers: LiveServers,
    clients: readonly { readonly id: number }[],
  ): Promise<readonly FinalState[]> {
    const { machines, infrastructure } = this.#testbed;
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
    const command = [...infrastructure.enter(from), process.execPath, READ_BACK, JSON.stringify(told)];
    return JSON.parse(await feed(command, "")) as readonly FinalState[];
  }
}

const live = (servers: LiveServers, clients: LiveClients) => [...servers.lives, ...clients.lives];

/** Whatever a plan may say that only virtual time can do. */
function refuse({ runtime, system, state, workload }: TrialPlan): void {
  if (runtime === "docker") throw new CannotRun("runtime docker is not there yet: take RUNTIME=netns");
  if (system !== "polebench") throw new CannotRun(`system ${system} is not there yet: take SYSTEM=polebench`);
  if (workload.client !== "typescript") throw new CannotRun("CLIENT=kazoo is not there yet: leave it out");
  if (state !== null)
    throw new CannotRun("an initial state is written in virtual time only: take RUNTIME=sim");
}

/** Between sites, as packets of the prober saw them. */
const roundTripsOf = ({ ways }: Certificate): readonly AchievedRoundTrip[] =>
  ways
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, samples, achieved, roundTrip }) => {
      const back = ways.find((way) => way.from === to && way.to === from);
      const sd = Math.hypot(achieved.sd, back?.achieved.sd ?? achieved.sd);
      return { from, to, samples, meanMs: roundTrip.udp / 1e3, sdMs: sd / 1e3 };
    });

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "polebench-live-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const NOTHING_YET = "interrupted before the load began; nothing was measured";
const SIGNAL_MS = 200;
