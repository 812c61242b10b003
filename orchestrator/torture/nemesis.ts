/** Does to the servers what the schedule says, and mends it. */

import { setTimeout as delay } from "node:timers/promises";
import { Random } from "#node/core/random.ts";
import type { Instant } from "#node/core/time.ts";
import { carryOut, Faults } from "../fault/carry-out.ts";
import type { End, Fault } from "../fault/fault.ts";
import { printFault } from "../fault/words.ts";
import type { LinkShape, Topology } from "../topology/topology.ts";
import type { Spell } from "./bereavement.ts";
import type { TorturedEnsemble, TorturedServer } from "./ensemble.ts";
import { drawIncident, type Incident, nameOf, type Terms, type Victim } from "./schedule.ts";
import { mendingOf, type Script, scriptOf } from "./script.ts";
import { now } from "./session.ts";

/** Which of these servers have all that was acknowledged until now; false when it takes too long. */
export type Level = (servers: readonly TorturedServer[], withinMs: number) => Promise<boolean>;

const LEVEL_MS = 15_000;
/** What a server has executed is on its own disk by then too. */
const SETTLED_MS = 200;

export class Nemesis {
  /** How often each kind of fault has struck. */
  readonly strikes = new Map<string, number>();
  /** When a server's monotonic clock has leapt: what it had promised to wait for is over early. */
  readonly leaps: Instant[] = [];
  readonly spells: Spell[] = [];
  /** What struck when, line by line. */
  readonly told: string[] = [];
  readonly #ensemble: TorturedEnsemble;
  readonly #schedule: Random;
  readonly #terms: Terms;
  readonly #level: Level;
  readonly #faults: Faults;
  /** Whether what is under way when a link is cut still arrives. */
  #inFlight: "deliver" | "drop" = "deliver";
  /** What was done since all was mended. */
  #done: Fault[] = [];
  /** Until a server with a new disk is, another fault would be more than a quorum outlives. */
  #areLevel = true;

  constructor(ensemble: TorturedEnsemble, schedule: Random, terms: Terms, level: Level) {
    this.#ensemble = ensemble;
    this.#schedule = schedule;
    this.#terms = terms;
    this.#level = level;
    const abilities = ensemble.abilities(() => this.#inFlight);
    this.#faults = new Faults(ensemble.testbed.topology, abilities);
  }

  async torment(untilMs: number): Promise<void> {
    while (performance.now() < untilMs && this.#areLevel) {
      const incident = drawIncident(this.#schedule, this.#terms);
      await delay(incident.restMs);
      this.#tell(incident.strikes.map(({ kind, victim }) => `${kind} (${victim})`).join(", "));
      const from = now();
      const struck = await Promise.all(
        incident.strikes.map((strike) => this.#strike(strike, incident.lastsMs)),
      );
      await this.#mend();
      this.#tell("mended");
      this.spells.push({ kinds: incident.strikes.map(({ kind }) => kind), from, until: now() });
      if (struck.includes(false)) continue;
      const name = nameOf(incident);
      this.strikes.set(name, (this.strikes.get(name) ?? 0) + 1);
    }
  }

  /** Comes back when the time of the fault is over; false when it could not be. */
  async #strike({ kind, victim, seed }: Incident["strikes"][number], lastsMs: number): Promise<boolean> {
    const random = new Random(seed);
    if (kind === "wiped disk") return this.#wipe(random);
    const whom = kind === "pause, then crash of another" ? "leader" : victim;
    const scene = {
      victim: (await this.#pick(whom, random)).id,
      servers: this.#ensemble.servers.map(({ id }) => id),
      lastsMs,
      sessionTimeoutMs: this.#terms.sessionTimeoutMs,
    };
    await this.#play(scriptOf(kind, scene, random), random);
    return true;
  }

  async #play({ moments, restMs }: Script, random: Random): Promise<void> {
    for (const { afterMs, faults } of moments) {
      await delay(afterMs);
      this.#inFlight = random.pick(["drop", "deliver"] as const);
      await this.#carryOut(faults);
    }
    await delay(restMs);
  }

  /** All at once. */
  async #carryOut(faults: readonly Fault[]): Promise<void> {
    this.#tell(faults.map(printFault).join(", "));
    this.#done.push(...faults);
    for (const { kind } of faults) if (kind === "clock-leap") this.leaps.push(now());
    await carryOut(faults.flatMap((fault) => this.#faults.lanes(fault, this.#faults.aimedAt(fault))));
  }

  /** Every fault ends, every server runs. */
  async #mend(): Promise<void> {
    const { servers, testbed } = this.#ensemble;
    const linkOf = (from: End, to: End): LinkShape => linkBetween(testbed.topology, from, to);
    const steps = mendingOf(
      this.#done,
      linkOf,
      servers.map(({ id }) => id),
    );
    for (const faults of steps) if (faults.length > 0) await this.#carryOut(faults);
    this.#done = [];
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
    const target: End = { kind: "server", server: victim.id };
    await this.#carryOut([{ kind: "crash", target }]);
    const others = this.#ensemble.servers.filter((server) => server !== victim);
    if (!(await this.#level(others, LEVEL_MS))) return false;
    await delay(SETTLED_MS);
    await this.#carryOut([{ kind: "disk-wiped", target }]);
    await this.#carryOut([{ kind: "restart", target }]);
    this.#areLevel = await this.#level(this.#ensemble.servers, LEVEL_MS);
    if (!this.#areLevel) this.#tell(`${victim.name} is not level in time: nothing strikes any more`);
    await delay(SETTLED_MS);
    return true;
  }

  #tell(what: string): void {
    this.told.push(`${new Date().toISOString()} ${what}`);
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

function linkBetween(topology: Topology, from: End, to: End): LinkShape {
  const siteOf = (end: End): string =>
    end.kind === "site" ? end.site : (topology.servers.get(end.server) ?? "");
  return topology.link(siteOf(from), siteOf(to));
}
