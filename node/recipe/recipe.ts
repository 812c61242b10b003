/**
 * Recipes of a coordination service for programs of one's own: what `polebench/recipe` gives. The service is
 * Apache ZooKeeper or this project's server; both speak the same protocol.
 */

import { Client, type ClientOptions } from "./client.ts";

/** A session with the service; resolves when there is one. */
export const connect = async (servers: string, options: ClientOptions = {}): Promise<Client> =>
  Client.connect(servers, options);

export { type Acl, CREATOR_ALL, OPEN } from "../wire/client/acl.ts";
export { Barrier } from "./barrier.ts";
export type { ClientOptions, CreateOptions, Read } from "./client.ts";
export type { Change, Watcher } from "./watchers.ts";
export { Client } from "./client.ts";
export { Configuration, type Version } from "./configuration.ts";
export { type Candidature, Election, type ElectionOptions } from "./election.ts";
export { type Held, Lock, ReadWriteLock, type Waiting } from "./lock.ts";
export { Membership } from "./membership.ts";
export { NoServers } from "./places.ts";
export { PriorityElection, type PriorityElectionOptions, type Takeover } from "./priority-election.ts";
export { type LeaderPlace, PriorityLeaders, type PriorityLeadersOptions } from "./priority-leaders.ts";
export { Queue } from "./queue.ts";
export { StrategyRefused, strategyOf } from "./strategies.ts";
export { ConnectionLost, isRefusal, ServiceError, SessionOver } from "./service-error.ts";
/** What stands in the znodes of a priority election, for who looks on. */
export { idOf, readCurrent, readElected, readLast } from "../election/priority/layout.ts";
export {
  bestScore,
  type Candidate,
  type Choice,
  firstId,
  otherSite,
  roundRobin,
  siteOrder,
  type Strategy,
} from "../election/priority/strategy.ts";
