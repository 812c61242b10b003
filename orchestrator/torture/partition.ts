/** Which ways between servers a fault of the network cuts, as a value. */

import type { Random } from "#node/core/random.ts";

export type Partition =
  | "minority partition"
  | "majority partition"
  | "shattered network"
  | "one-way cut"
  | "flapping links"
  | "bridge partition";

/** A way from one server to another; the way back is another one. */
export type Way = readonly [from: number, to: number];

/** `centre` leads, or is who the fault is about. */
export function cutWays(
  partition: Partition,
  servers: readonly number[],
  centre: number,
  random: Random,
): readonly Way[] {
  const others = random.shuffle(servers.filter((server) => server !== centre));
  const minority = Math.floor((servers.length - 1) / 2);
  switch (partition) {
    case "minority partition":
      // As many with it as may be without making a quorum, or fewer.
      return between(split([centre, ...others], random.integer(1, minority)));
    case "majority partition":
      return between(split([centre, ...others], servers.length - random.integer(1, minority)));
    case "shattered network":
      return servers.flatMap((from) => waysTo(from, servers));
    case "one-way cut":
      return oneWay(centre, others, random);
    case "flapping links":
      return random
        .shuffle(others)
        .slice(0, random.integer(1, others.length))
        .flatMap((other) => between([[centre], [other]]));
    case "bridge partition":
      return between(split(others, others.length >> 1));
  }
}

/** Nobody hears it, or it hears nobody, or so for some of them. */
function oneWay(centre: number, others: readonly number[], random: Random): readonly Way[] {
  const some = others.slice(0, random.chance(0.5) ? others.length : random.integer(1, others.length));
  const isMute = random.chance(0.5);
  return some.map((other) => (isMute ? [centre, other] : [other, centre]));
}

const split = (servers: readonly number[], at: number): [readonly number[], readonly number[]] => [
  servers.slice(0, at),
  servers.slice(at),
];

const between = ([one, other]: readonly [readonly number[], readonly number[]]): readonly Way[] => [
  ...one.flatMap((from) => waysTo(from, other)),
  ...other.flatMap((from) => waysTo(from, one)),
];

const waysTo = (from: number, to: readonly number[]): readonly Way[] =>
  to.filter((server) => server !== from).map((server) => [from, server] as const);
