/**
 * The answer as configuration to paste: ours, ZooKeeper's and etcd's, with what the latter cannot express.
 */

import type { ServerId } from "#node/core/identity.ts";
import { roundTrip } from "../topology/model.ts";
import type { Topology } from "../topology/topology.ts";
import type { Outlook } from "./evaluate.ts";
import { LISTED } from "./question.ts";

export interface Configuration {
  readonly system: string;
  readonly text: string;
  /** What it cannot say, or does not keep. */
  readonly limits: readonly string[];
}

export function configurations(
  topology: Topology,
  advised: Outlook,
  order: readonly ServerId[],
): readonly Configuration[] {
  return [ours(topology, advised, order), zookeeper(topology, order), etcd(topology, order)];
}

const hostOf = (topology: Topology, server: ServerId): string => {
  const site = topology.servers.get(server) ?? "";
  const beside = topology.sites.get(site)?.servers ?? [];
  return beside.length < 2 ? `${site}.example` : `${site}-${beside.indexOf(server) + 1}.example`;
};

function ours(topology: Topology, { rule }: Outlook, order: readonly ServerId[]): Configuration {
  const servers = [...topology.servers.keys()].map((id) => `server.${id}=${hostOf(topology, id)}:2888:3888`);
  const judged =
    rule === LISTED ? [`oracle=preference`, `preference=${order.join(",")}`] : [`oracle=${rule}`];
  return {
    system: "polebench",
    text: [...servers, ...judged, `firstLeader=${order[0] ?? ""}`, ""].join("\n"),
    limits:
      rule === LISTED
        ? ["A list does not follow the load: ask again when it changes much."]
        : ["Whoever leads stays until it is lost; the oracle decides at the next election."],
  };
}

/** Among equal histories the highest id wins, so the ids are dealt out by the list. */
function zookeeper(topology: Topology, order: readonly ServerId[]): Configuration {
  const lines = order.map((server, index) => {
    const id = order.length - index;
    return `server.${id}=${hostOf(topology, server)}:2888:3888;2181`;
  });
  const tick = 2000;
  const farthest = farthestMs(topology);
  return {
    system: "ZooKeeper",
    text: [
      `tickTime=${tick}`,
      `initLimit=${Math.max(10, Math.ceil((20 * farthest) / tick))}`,
      `syncLimit=${Math.max(5, Math.ceil((10 * farthest) / tick))}`,
      ...lines,
      "",
    ].join("\n"),
    limits: [
      "It elects the newest history, and among equal ones the highest id: so the ids above say the list. " +
        "But under load histories differ by a few transactions, and whoever is ahead wins.",
      "It knows neither distances nor load, and no list: after an election the leader may be anywhere.",
      "Who leads stays; it can be moved only by stopping it.",
      "Sites without a server can have an observer (peerType=observer): it answers reads, without a vote.",
    ],
  };
}

function etcd(topology: Topology, order: readonly ServerId[]): Configuration {
  const farthest = farthestMs(topology);
  const heartbeat = Math.max(100, Math.ceil(farthest / 50) * 50);
  const members = [...topology.servers.keys()].map(
    (server) => `${nameOf(topology, server)}=https://${hostOf(topology, server)}:2380`,
  );
  const [leader, next] = order.map((server) => nameOf(topology, server));
  return {
    system: "etcd",
    text: [
      `--initial-cluster=${members.join(",")}`,
      `--heartbeat-interval=${heartbeat}`,
      `--election-timeout=${Math.min(50_000, Math.max(1000, 10 * heartbeat))}`,
      `# once ${leader} is to lead: etcdctl --endpoints=<the leader's> move-leader <member id of ${leader}>`,
      "",
    ].join("\n"),
    limits: [
      "It has no priority: any member that is up to date may win, the one whose random timeout ends first.",
      `The list (${leader}, then ${next ?? "nobody"}) is kept only by move-leader after each election.`,
      "Timers are the same for all members and follow the longest distance; an outage lasts as long.",
      "A learner never leads, which keeps a site out, but it counts for no quorum either.",
    ],
  };
}

const nameOf = (topology: Topology, server: ServerId): string =>
  hostOf(topology, server).replace(".example", "");

/** The longest round trip between two of the servers. */
const farthestMs = (topology: Topology): number => {
  const servers = [...topology.servers.keys()];
  return Math.max(1, ...servers.flatMap((a) => servers.map((b) => roundTrip(topology, a, b) / 1e3)));
};
