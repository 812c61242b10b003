/** Round trips of a plan in milliseconds, between sites and to the server that leads the ensemble. */

import type { ServerId } from "#node/core/identity.ts";
import { prospect } from "../topology/model.ts";
import type { Topology } from "../topology/topology.ts";

export const betweenSites = (topology: Topology, a: string, b: string): number =>
  (topology.link(a, b).delay + topology.link(b, a).delay) / 1e3;

export const toLeader = (topology: Topology, site: string, leader: ServerId): number =>
  betweenSites(topology, site, topology.servers.get(leader) ?? "");

/** What a write waits for a quorum at the server that leads. */
export const consensusAt = (topology: Topology, leader: ServerId): number =>
  prospect(topology, leader).consensusMs;
