import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Random } from "#node/core/random.ts";
import type { ServerId } from "#node/core/identity.ts";
import type { Abilities, DiskBend, LinkChange, Way } from "../fault/abilities.ts";
import { carryOutNow, Faults } from "../fault/carry-out.ts";
import type { Fault } from "../fault/fault.ts";
import { loadTopology } from "../topology/topology.ts";
import { STRIKES } from "./schedule.ts";
import { mendingOf, scriptOf } from "./script.ts";

const topology = loadTopology("lan");
const servers = [...topology.servers.keys()];
const link = topology.link("lan", "lan");
const KINDS = STRIKES.filter((kind) => kind !== "wiped disk");
const KEPT = { delay: link.delay, loss: link.loss, rate: link.rate, duplicate: 0, corrupt: 0 };

/** All that can be wrong, and what is. */
class World implements Abilities {
  readonly #running = new Set<ServerId>(servers);
  readonly #paused = new Set<ServerId>();
  readonly #cut = new Set<string>();
  readonly #links = new Map<string, LinkChange>();
  readonly #disks = new Map<ServerId, DiskBend>();
  /** They have met a disk that they cannot go on with, and live. */
  readonly #doomed = new Set<ServerId>();
  readonly #wrongBy = new Map<ServerId, number>();
  readonly machines = new Map(servers.map((server) => [`p${server}`, { site: "lan" }]));
  #touched = 0;

  readonly network = {
    machines: this.machines,
    cut: (ways: readonly Way[]) => this.#touch(() => ways.forEach((way) => this.#cut.add(way.join(" ")))),
    heal: (ways: readonly Way[]) => ways.forEach((way) => this.#cut.delete(way.join(" "))),
    forget: () => this.#touch(() => {}),
    change: (ways: readonly Way[], change: LinkChange) =>
      this.#touch(() => {
        for (const way of ways.map((one) => one.join(" ")))
          this.#links.set(way, { ...this.#links.get(way), ...change });
      }),
    unplug: (server: ServerId) => this.network.cut(this.#waysOf(server)),
    plug: (_: ServerId, ways: readonly Way[]) => this.network.heal(ways),
  };
  readonly processes = {
    leader: () => null,
    isRunning: (server: ServerId) => this.#running.has(server),
    kill: (server: ServerId) =>
      this.#touch(() => {
        this.#running.delete(server);
        this.#paused.delete(server);
        this.#doomed.delete(server);
      }),
    pause: (server: ServerId) => this.#touch(() => this.#paused.add(server)),
    resume: (server: ServerId) => void this.#paused.delete(server),
    start: (server: ServerId) => void this.#running.add(server),
    transfer: () => {},
  };
  readonly disks = {
    bend: (server: ServerId, bend: DiskBend | null) =>
      this.#touch(() => {
        if (bend === null) return void this.#disks.delete(server);
        this.#disks.set(server, bend);
        if (bend.kind !== "slow") this.#doomed.add(server);
      }),
    wipe: () => {},
  };
  readonly clocks = {
    jump: (server: ServerId, by: number) =>
      this.#touch(() => this.#wrongBy.set(server, (this.#wrongBy.get(server) ?? 0) + by)),
    leap: () => this.#touch(() => {}),
  };

  get wasTouched(): boolean {
    return this.#touched > 0;
  }

  /** What is not as it should be. */
  get wrongs(): readonly unknown[] {
    return [
      ...servers.filter((server) => !this.#running.has(server)).map((server) => `p${server} is down`),
      ...[...this.#paused].map((server) => `p${server} is paused`),
      ...this.#cut,
      ...[...this.#links].filter(([, change]) =>
        Object.entries(change).some(([what, is]) => is !== KEPT[what as keyof typeof KEPT]),
      ),
      ...this.#disks,
      ...[...this.#doomed].map((server) => `p${server} lives on`),
      ...[...this.#wrongBy].filter(([, by]) => by !== 0),
    ];
  }

  #waysOf(server: ServerId): readonly Way[] {
    const others = servers.filter((other) => other !== server);
    return others.flatMap((other): Way[] => [
      [`p${server}`, `p${other}`],
      [`p${other}`, `p${server}`],
    ]);
  }

  #touch(act: () => void): void {
    this.#touched += 1;
    act();
  }
}

const sceneOf = (victim: number) => ({ victim, servers, lastsMs: 3000, sessionTimeoutMs: 4000 });

suite("what an incident is", () => {
  for (const kind of KINDS) {
    test(`${kind} does something, and is mended, alone and together with others`, () => {
      for (let seed = 0; seed < 30; seed++) {
        const random = new Random(seed);
        const world = new World();
        const faults = new Faults(topology, world);
        const done: Fault[] = [];
        const carryOut = (fault: Fault): void => {
          done.push(fault);
          carryOutNow(faults.lanes(fault, faults.aimedAt(fault)));
        };
        for (const one of seed % 2 === 0 ? [kind] : [kind, random.pick(KINDS)]) {
          const { moments, restMs } = scriptOf(one, sceneOf(random.pick(servers)), random);
          assert.ok(moments.length > 0 && restMs >= 0);
          moments.flatMap((moment) => moment.faults).forEach(carryOut);
        }
        assert.ok(world.wasTouched);
        for (const step of mendingOf(done, () => link, servers)) step.forEach(carryOut);
        assert.deepEqual(world.wrongs, [], `seed ${seed}`);
      }
    });
  }

  test("one seed is one script", () => {
    for (const kind of KINDS) {
      const [once, again] = [1, 1].map((seed) => scriptOf(kind, sceneOf(2), new Random(seed)));
      assert.deepEqual(once, again);
    }
  });
});
