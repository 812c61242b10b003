/** Does to the servers what the schedule says, and mends it. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "#node/core/random.ts";
import type { Ensemble, ServerProcess } from "../bench/ensemble.ts";
import { drawIncident, type Fault, nameOf, type Terms, type Victim } from "./schedule.ts";
import { ORDERS } from "./orders.ts";

const RESTART_MS = 100;

export class Nemesis {
  readonly #ensemble: Ensemble;
  readonly #random: Random;
  readonly #terms: Terms;
  /** Which server's end was asked for, in whatever way. */
  readonly #doomed = new Set<ServerProcess>();
  readonly strikes = new Map<string, number>();
  /** Servers that ended although nobody had done anything to them. */
  readonly suicides: string[] = [];

  constructor(ensemble: Ensemble, random: Random, terms: Terms) {
    this.#ensemble = ensemble;
    this.#random = random;
    this.#terms = terms;
  }

  async torment(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      const { fault, restMs, lastsMs } = drawIncident(this.#random, this.#terms);
      await delay(restMs);
      this.#look();
      this.strikes.set(nameOf(fault), (this.strikes.get(nameOf(fault)) ?? 0) + 1);
      await this.#strike(fault, lastsMs);
      await this.#heal();
    }
  }

  async #strike(fault: Fault, lastsMs: number): Promise<void> {
    const { servers } = this.#ensemble;
    switch (fault.kind) {
      case "crash":
        await this.#crash(await this.#pick(fault.victim));
        return delay(lastsMs);
      case "crash everything":
        await Promise.all(servers.map((server) => this.#crash(server)));
        return delay(lastsMs / 4);
      case "pause":
        (await this.#pick(fault.victim)).signal("SIGSTOP");
        return delay(lastsMs);
      case "pause a majority":
        for (const server of this.#random.shuffle(servers).slice(0, 1 + (servers.length >> 1))) {
          server.signal("SIGSTOP");
        }
        return delay(lastsMs);
      case "disk": {
        const victim = await this.#pick(fault.victim);
        if (fault.fault !== "slow") this.#doomed.add(victim);
        writeFileSync(join(victim.home, ORDERS), fault.fault);
        await delay(lastsMs);
        // It has ended by itself at its first write, or is about to: somebody comes and starts it anew.
        if (fault.fault !== "slow") await this.#crash(victim);
        return;
      }
      case "pause, then crash another": {
        const paused = await this.#pick("leader");
        paused.signal("SIGSTOP");
        await delay(lastsMs);
        const other = this.#random.pick(servers.filter((server) => server !== paused));
        await this.#crash(other);
        paused.signal("SIGCONT");
        return delay(RESTART_MS);
      }
    }
  }

  /** Every fault ends, every server runs. */
  async #heal(): Promise<void> {
    for (const server of this.#ensemble.servers) {
      rmSync(join(server.home, ORDERS), { force: true });
      server.signal("SIGCONT");
    }
    await delay(RESTART_MS);
    this.#look();
    for (const server of this.#ensemble.servers) if (!server.running) server.start();
    this.#doomed.clear();
  }

  async #crash(server: ServerProcess): Promise<void> {
    this.#doomed.add(server);
    await server.kill();
  }

  #look(): void {
    for (const server of this.#ensemble.servers) {
      if (!server.running && !this.#doomed.has(server)) {
        this.suicides.push(`p${server.id}: ${server.printed().slice(-700)}`);
      }
    }
  }

  async #pick(victim: Victim): Promise<ServerProcess> {
    const { servers } = this.#ensemble;
    const leader = await this.#ensemble.leader().catch(() => null);
    if (victim === "leader" && leader !== null) return leader;
    return this.#random.pick(victim === "follower" ? servers.filter((server) => server !== leader) : servers);
  }
}
