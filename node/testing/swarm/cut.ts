/** Who hears nothing of whom any more: what is cut between servers, and whom a fault strikes. */

import type { ServerId } from "../../core/identity.ts";
import type { Random } from "../../core/random.ts";

/** Chosen when it strikes, since nobody knows before who will lead. */
export type Target = "leader" | "follower" | "any";

export type Cut<Whom = Target> =
  | { readonly kind: "isolate"; readonly target: Whom }
  /** Only what the server sends is lost, or only what is sent to it. */
  | { readonly kind: "isolate one way"; readonly target: Whom; readonly direction: "to" | "from" }
  /** Two groups that cannot talk to each other; the leader is in the one of this size. */
  | { readonly kind: "split"; readonly withLeader: number }
  /** One pair of servers cannot talk, everybody else can. */
  | { readonly kind: "cut pair" };

/** Does nothing get from one to the other? */
export type IsCut = (from: ServerId, to: ServerId) => boolean;

export const waysOf =
  (server: ServerId): IsCut =>
  (from, to) =>
    (from === server) !== (to === server);

/** Of a fault that strikes now. */
export function isCutBy<Whom>(
  fault: Cut<Whom>,
  servers: readonly ServerId[],
  random: Random,
  pick: (target: Whom | "leader") => ServerId,
): IsCut {
  switch (fault.kind) {
    case "isolate":
      return waysOf(pick(fault.target));
    case "isolate one way": {
      const server = pick(fault.target);
      return (from, to) => (fault.direction === "to" ? to : from) === server;
    }
    case "split": {
      const leader = pick("leader");
      const others = random.shuffle(servers.filter((server) => server !== leader));
      const group = new Set([leader, ...others.slice(0, fault.withLeader - 1)]);
      return (from, to) => group.has(from) !== group.has(to);
    }
    case "cut pair": {
      const [a, b] = random.shuffle(servers);
      return (from, to) => (from === a && to === b) || (from === b && to === a);
    }
  }
}

interface Network {
  cut(from: ServerId, to: ServerId): void;
  heal(from: ServerId, to: ServerId): void;
}

/** What heals it is returned. */
export function cut(network: Network, servers: readonly ServerId[], isCut: IsCut): () => void {
  const ways = servers.flatMap((from) =>
    servers.filter((to) => from !== to && isCut(from, to)).map((to) => [from, to] as const),
  );
  for (const [from, to] of ways) network.cut(from, to);
  return () => {
    for (const [from, to] of ways) network.heal(from, to);
  };
}

export function pickFrom(
  servers: readonly ServerId[],
  target: Target,
  isLeading: (server: ServerId) => boolean,
  random: Random,
): ServerId {
  const leading = servers.filter(isLeading);
  const others = servers.filter((server) => !isLeading(server));
  if (target === "leader" && leading.length > 0) return random.pick(leading);
  return random.pick(target === "follower" && others.length > 0 ? others : servers);
}
