/**
 * How long a message takes once around a ring of servers, and the order in which that is least: it decides
 * how long an election of a ring takes.
 */

import type { ServerId } from "#node/core/identity.ts";
import { oneWay } from "./model.ts";
import type { Topology } from "./topology.ts";

/** One way from each to the next, and home. */
export function tourMs(topology: Topology, order: readonly ServerId[]): number {
  const next = (at: number): ServerId => order[(at + 1) % order.length] as ServerId;
  return order.reduce((sum, server, at) => sum + oneWay(topology, server, next(at)), 0) / 1e3;
}

/** Up to so many all orders are tried; of more the nearest is next, and then crossings are undone. */
const TRIED = 8;

/** It begins with the least id. */
export function shortestTour(topology: Topology): readonly ServerId[] {
  const servers = [...topology.servers.keys()].sort((a, b) => a - b);
  const [first, ...others] = servers;
  if (first === undefined) return [];
  if (servers.length > TRIED) return uncrossed(topology, nearestNext(topology, first, others));
  let best: readonly ServerId[] = servers;
  for (const rest of orders(others)) {
    const tour = [first, ...rest];
    if (tourMs(topology, tour) < tourMs(topology, best) - NOTHING_MS) best = tour;
  }
  return best;
}

/** Sums of the same ways in another order differ by this much at most. */
const NOTHING_MS = 1e-6;

const orders = (left: readonly ServerId[]): readonly (readonly ServerId[])[] =>
  left.length === 0
    ? [[]]
    : left.flatMap((one, at) => orders(left.toSpliced(at, 1)).map((rest) => [one, ...rest]));

function nearestNext(topology: Topology, first: ServerId, others: readonly ServerId[]): readonly ServerId[] {
  const tour = [first];
  let left = [...others];
  while (left.length > 0) {
    const here = tour.at(-1) as ServerId;
    const next = left.reduce((a, b) => (oneWay(topology, here, b) < oneWay(topology, here, a) ? b : a));
    tour.push(next);
    left = left.filter((server) => server !== next);
  }
  return tour;
}

/** Turns stretches round as long as that makes the tour shorter. */
function uncrossed(topology: Topology, tour: readonly ServerId[]): readonly ServerId[] {
  for (let from = 1; from < tour.length - 1; from++) {
    for (let to = from + 2; to <= tour.length; to++) {
      const turned = [...tour.slice(0, from), ...tour.slice(from, to).reverse(), ...tour.slice(to)];
      if (tourMs(topology, turned) < tourMs(topology, tour) - NOTHING_MS) return uncrossed(topology, turned);
    }
  }
  return tour;
}

/** What the order of a ring costs, and what the best would gain, in a sentence. */
export function tellTour(topology: Topology, order: readonly ServerId[]): string {
  const shortest = shortestTour(topology);
  const [here, least] = [tourMs(topology, order), tourMs(topology, shortest)];
  const said = `Once around the ring ${printTour(order)} takes ${here.toFixed(1)} ms one way`;
  return here - least < 0.05
    ? `${said}; no order is shorter.`
    : `${said}; around ${printTour(shortest)} it would be ${least.toFixed(1)} ms, ` +
        `${(here - least).toFixed(1)} ms less for each tour of an election.`;
}

const printTour = (order: readonly ServerId[]): string => order.map((server) => `p${server}`).join(" ");
