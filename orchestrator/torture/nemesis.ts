/** Does to the servers what the schedule says, and mends it. */

import { setTimeout as delay } from "node:timers/promises";
import { Random } from "#node/core/random.ts";
import type { Instant } from "#node/core/time.ts";
import type { TorturedEnsemble, TorturedServer } from "./ensemble.ts";
import { cutWays, type Partition, type Way } from "./partition.ts";
import { drawIncident, type Fault, nameOf, type Terms, type Victim } from "./schedule.ts";
import { now } from "./session.ts";

/** Which of these servers have all that was acknowledged until now; false when it takes too long. */
export type Level = (servers: readonly TorturedServer[], withinMs: number) => Promise<boolean>;

const LEVEL_MS = 15_000;
/** What a server has executed is on its own disk by then too. */
const SETTLED_MS = 200;
const FLAP_MS = { least: 50, most: 700 };
const DAY_MS = 86_400_000;
/** While the disks are slow, what is acknowledged must wait for one; then the power goes. */
const HELD_BACK_MS = 1000;

export class Nemesis {
  /** How often each kind of fault has struck. */
  readonly strikes = new Map<string, number>();
  /** When a server's monotonic clock has leapt: what it had promised to wait for is over early. */
  readonly leaps: Instant[] = [];
  /** What struck when, line by line. */
  readonly told: string[] = [];
  readonly #ensemble: TorturedEnsemble;
  readonly #schedule: Random;
  readonly #terms: Terms;
  readonly #level: Level;
  /** Until a server with a new disk is, another fault would be more than a quorum outlives. */
  #areLevel = true;

  constructor(ensemble: TorturedEnsemble, schedule: Random, terms: Terms, level: Level) {
    this.#ensemble = ensemble;
    this.#schedule = schedule;
    this.#terms = terms;
    this.#level = level;
  }

  async torment(untilMs: number): Promise<void> {
    while (performance.now() < untilMs && this.#areLevel) {
      const incident = drawIncident(this.#schedule, this.#terms);
      await delay(incident.restMs);
      this.#tell(incident.faults.map(({ kind, victim }) => `${kind} (${victim})`).join(", "));
      const struck = await Promise.all(incident.faults.map((fault) => this.#strike(fault, incident.lastsMs)));
      this.#tell("mended");
      await this.#mend();
      if (struck.includes(false)) continue;
      const name = nameOf(incident);
      this.strikes.set(name, (this.strikes.get(name) ?? 0) + 1);
    }
  }

  /** Comes back when the time of the fault is over; false when it could not be. */
  async #strike({ kind, victim, seed }: Fault, lastsMs: number): Promise<boolean> {
    const { servers, testbed } = this.#ensemble;
    const random = new Random(seed);
    switch (kind) {
      case "crash":
        await (await this.#pick(victim, random)).crash();
        break;
      case "machine crash": {
        const server = await this.#pick(victim, random);
        await testbed.isolate(server.name);
        await server.crash();
        break;
      }
      case "crash of all":
        await Promise.all(servers.map((server) => server.crash()));
        return this.#wait(lastsMs / 4);
      case "pause":
        await (await this.#pick(victim, random)).pause();
        break;
      case "pause of a majority": {
        const majority = random.shuffle(servers).slice(0, 1 + (servers.length >> 1));
        await Promise.all(majority.map((server) => server.pause()));
        break;
      }
      case "pause, then crash of another":
        return this.#pauseThenCrash(lastsMs, random);
      case "full disk":
        await (await this.#pick(victim, random)).fill();
        break;
      case "failing fsync":
        (await this.#pick(victim, random)).order({ disk: "failing" });
        break;
      case "torn log tail":
        (await this.#pick(victim, random)).order({ disk: "torn" });
        break;
      case "slow disk":
        (await this.#pick(victim, random)).order({ disk: "slow" });
        break;
      case "slow disks, then crash of all":
        for (const server of servers) server.order({ disk: "slow" });
        await delay(HELD_BACK_MS);
        await Promise.all(servers.map((server) => server.crash()));
        break;
      case "wiped disk":
        return this.#wipe(random);
      case "wall clock jump":
        return this.#jump(await this.#pick(victim, random), lastsMs, random);
      case "monotonic clock leap":
        return this.#leap(await this.#pick(victim, random), lastsMs, random);
      case "flapping links":
        return this.#flap((await this.#pick(victim, random)).id, lastsMs, random);
      default:
        await this.#cut(await this.#waysOf(kind, victim, random), random);
    }
    return this.#wait(lastsMs);
  }

  /** Every fault ends, every server runs. */
  async #mend(): Promise<void> {
    const { servers, testbed } = this.#ensemble;
    await Promise.all(servers.map((server) => testbed.rejoin(server.name)));
    for (const server of servers) {
      server.empty();
      server.order({ disk: null, wallMs: 0 });
      if (server.isDoomed) await server.crash();
      await server.resume();
      await server.start();
    }
  }

  async #pauseThenCrash(lastsMs: number, random: Random): Promise<boolean> {
    const paused = await this.#pick("leader", random);
    await paused.pause();
    await delay(lastsMs);
    await random.pick(this.#ensemble.servers.filter((server) => server !== paused)).crash();
    await paused.resume();
    return this.#wait(lastsMs / 4);
  }

  /**
   * What a server has acknowledged it must not forget, and no quorum protocol outlives that it does so at any
   * moment: a write that two of three have is gone when one of the two has a new disk and leads with the
   * third. It is survived when all others have everything and follow one leader; so that is waited for, and
   * then until the new disk is level. Where that takes too long nothing strikes any more, and whether the
   * ensemble serves again is judged as after any last fault.
   */
  async #wipe(random: Random): Promise<boolean> {
    const victim = await this.#pick("follower", random);
    await victim.crash();
    const others = this.#ensemble.servers.filter((server) => server !== victim);
    if (!(await this.#level(others, LEVEL_MS))) return false;
    await delay(SETTLED_MS);
    victim.wipe();
    await victim.start();
    this.#areLevel = await this.#level(this.#ensemble.servers, LEVEL_MS);
    if (!this.#areLevel) this.#tell(`${victim.name} is not level in time: nothing strikes any more`);
    return this.#wait(SETTLED_MS);
  }

  /** Servers look at the wall clock when they start. */
  async #jump(server: TorturedServer, lastsMs: number, random: Random): Promise<boolean> {
    server.order({ wallMs: random.integer(-DAY_MS, DAY_MS) });
    await server.crash();
    await server.start();
    return this.#wait(lastsMs);
  }

  async #leap(server: TorturedServer, lastsMs: number, random: Random): Promise<boolean> {
    const { sessionTimeoutMs } = this.#terms;
    this.leaps.push(now());
    server.order({
      leaptMs: server.leaptMs + random.integer(sessionTimeoutMs / 4, 2 * sessionTimeoutMs),
    });
    return this.#wait(lastsMs / 4);
  }

  async #flap(centre: number, lastsMs: number, random: Random): Promise<boolean> {
    const end = performance.now() + lastsMs;
    const { servers, testbed } = this.#ensemble;
    const ids = servers.map(({ id }) => id);
    while (performance.now() < end) {
      const ways = cutWays("flapping links", ids, centre, random);
      await this.#cut(ways, random);
      await delay(random.integer(FLAP_MS.least, FLAP_MS.most));
      await Promise.all(ways.map(([from, to]) => testbed.network.heal(`p${from}`, `p${to}`)));
      await delay(random.integer(FLAP_MS.least, FLAP_MS.most));
    }
    return true;
  }

  async #waysOf(partition: Partition, victim: Victim, random: Random): Promise<readonly Way[]> {
    const centre = (await this.#pick(victim, random)).id;
    const ids = this.#ensemble.servers.map(({ id }) => id);
    return cutWays(partition, ids, centre, random);
  }

  async #cut(ways: readonly Way[], random: Random): Promise<void> {
    const inFlight = random.chance(0.5) ? "drop" : "deliver";
    const { network } = this.#ensemble.testbed;
    this.#tell(`cut ${ways.map(([from, to]) => `p${from}-p${to}`).join(" ")}`);
    await Promise.all(ways.map(([from, to]) => network.cut(`p${from}`, `p${to}`, inFlight)));
  }

  #tell(what: string): void {
    this.told.push(`${new Date().toISOString()} ${what}`);
  }

  async #wait(ms: number): Promise<boolean> {
    await delay(ms);
    return true;
  }

  async #pick(victim: Victim, random: Random): Promise<TorturedServer> {
    const drawn = random.shuffle(this.#ensemble.servers);
    const leader = await this.#ensemble.leader();
    const fitting = drawn.filter(
      (server) => victim === "anybody" || (victim === "leader") === (server === leader),
    );
    return (fitting[0] ?? drawn[0]) as TorturedServer;
  }
}
