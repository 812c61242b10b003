// lane: works, 3 s
// The best placement, found a second time by arithmetic on a bare matrix that shares nothing with the model.
import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { Random } from "#node/core/random.ts";
import { parseTopology, type Topology, withLoad } from "../topology/topology.ts";
import { ranked } from "./advise.ts";
import { placementsOf } from "./placements.ts";
import type { Goal } from "./question.ts";

interface Matrix {
  readonly names: readonly string[];
  /** Milliseconds there and back. */
  readonly rtt: readonly (readonly number[])[];
  readonly load: readonly number[];
}

const LAN = 0.1;

function draw(seed: number): Matrix {
  const random = new Random(seed);
  const names = Array.from({ length: random.integer(5, 8) }, (_, index) => `s${index + 1}`);
  const rtt = names.map(() => names.map(() => 0));
  for (let a = 0; a < names.length; a++)
    for (let b = 0; b < a; b++) {
      const ms = random.integer(500, 120_000) / 500;
      (rtt[a] as number[])[b] = ms;
      (rtt[b] as number[])[a] = ms;
    }
  const weights = names.map(() => (random.chance(0.2) ? 0 : random.integer(1, 9)));
  weights[0] = 1;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { names, rtt, load: weights.map((weight) => weight / total) };
}

function topologyOf({ names, rtt, load }: Matrix): Topology {
  const links = names.flatMap((a, i) =>
    names.slice(i + 1).map((b, j) => ({ between: [a, b], rtt: `${rtt[i]?.[i + 1 + j]}ms` })),
  );
  const text = JSON.stringify({ sites: Object.fromEntries(names.map((name) => [name, null])), links });
  return withLoad(parseTopology(text, "drawn.yaml"), new Map(names.map((name, i) => [name, load[i] ?? 0])));
}

/** All ways to take so many of the first numbers. */
function subsets(of: number, count: number): number[][] {
  const found: number[][] = [];
  for (let mask = 0; mask < 1 << of; mask++) {
    const taken = Array.from({ length: of }, (_, bit) => bit).filter((bit) => (mask & (1 << bit)) !== 0);
    if (taken.length === count) found.push(taken);
  }
  return found;
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** What clients of each loaded site wait for, under a leader. */
function latencies({ rtt, load }: Matrix, servers: readonly number[], leader: number, quorum: number) {
  const far = (a: number, b: number): number => rtt[a]?.[b] ?? Number.NaN;
  const consensus = ascending(servers.map((one) => far(leader, one)))[quorum - 1] ?? Number.NaN;
  return load.flatMap((share, site) => {
    if (share === 0) return [];
    let [via, hop] = [site, LAN];
    if (!servers.includes(site)) {
      via = servers[0] ?? -1;
      for (const one of servers) if (far(site, one) < far(site, via)) via = one;
      hop = far(site, via);
    }
    return [{ share, ms: consensus + hop + far(via, leader) }];
  });
}

function outage(
  { rtt, load }: Matrix,
  servers: readonly number[],
  dead: number,
  next: number,
  quorum: number,
) {
  const way = (a: number, b: number): number => (rtt[a]?.[b] ?? Number.NaN) / 2;
  const others = servers.filter((one) => one !== dead && one !== next);
  const word = (from: number): number => way(dead, from) + way(from, next);
  const established = Math.max(
    way(dead, next),
    quorum < 2 ? 0 : (ascending(others.map(word))[quorum - 2] ?? 0),
  );
  const beside =
    established + (quorum < 2 ? 0 : 2 * (ascending(others.map((one) => way(one, next)))[quorum - 2] ?? 0));
  const served = (from: number): number =>
    beside + Math.max(0, (from === next ? way(dead, next) : word(from)) - established) + way(next, from);
  const living = servers.filter((one) => one !== dead);
  const firsts = load.flatMap((share, site) => {
    if (share === 0) return [];
    const from = living.includes(site) ? [site] : living;
    return from.map((one) => served(one) + (one === site ? LAN / 2 : way(one, site)));
  });
  return Math.min(...firsts);
}

function valueOf(matrix: Matrix, servers: readonly number[], goal: Goal): number {
  const quorum = Math.floor(servers.length / 2) + 1;
  let best = Number.POSITIVE_INFINITY;
  for (const leader of servers) {
    const seen = latencies(matrix, servers, leader, quorum);
    const slow = [...seen].sort((a, b) => a.ms - b.ms);
    let below = 0;
    const p99 = slow.find(({ share }) => (below += share) > 0.99 - 1e-9)?.ms ?? Number.NaN;
    const values: Record<Goal, () => number> = {
      mean: () => seen.reduce((sum, { share, ms }) => sum + share * ms, 0),
      worst: () => Math.max(...seen.map(({ ms }) => ms)),
      p99: () => p99,
      outage: () =>
        Math.min(
          ...servers
            .filter((one) => one !== leader)
            .map((next) => outage(matrix, servers, leader, next, quorum)),
        ),
    };
    best = Math.min(best, values[goal]());
  }
  return best;
}

suite("for drawn matrices the best placement is the one that arithmetic finds", () => {
  for (const goal of ["mean", "worst", "p99", "outage"] as const)
    test(`by ${goal}`, () => {
      for (let seed = 1; seed <= 12; seed++) {
        const matrix = draw(seed);
        const servers = [3, 4, 5][seed % 3] ?? 3;
        const all = subsets(matrix.names.length, servers).map((taken) => ({
          at: taken.map((site) => matrix.names[site] ?? ""),
          ms: valueOf(matrix, taken, goal),
        }));
        const least = Math.min(...all.map(({ ms }) => ms));
        const question = { servers, goal, lose: "server", most: 1 } as const;
        const topology = topologyOf(matrix);
        const ranking = ranked(topology, question, placementsOf(matrix.names, servers, 1));
        assert.equal(ranking.length, all.length, `seed ${seed}`);
        const [first] = ranking;
        assert.ok(first);
        const found = first.evaluation.best[`${goal}Ms`];
        assert.ok(Math.abs(found - least) < 1e-6, `seed ${seed}: ${found} instead of ${least}`);
        const best = all.filter(({ ms }) => ms - least < 1e-6).map(({ at }) => at.join());
        assert.ok(best.includes(first.placement.join()), `seed ${seed}: ${first.placement.join()}`);
        // Not only the best: each of them is worth what arithmetic says.
        const known = new Map(all.map(({ at, ms }) => [at.join(), ms]));
        for (const { placement, evaluation } of ranking)
          assert.ok(Math.abs((known.get(placement.join()) ?? 0) - evaluation.best[`${goal}Ms`]) < 1e-6);
      }
    });
});
