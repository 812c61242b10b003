/**
 * What clients read at /zookeeper/config: who the servers are, and where they take clients, as ZooKeeper's
 * own classes parse it.
 *
 *   server.1=host:port:electionPort:participant;host:clientPort
 *   version=0
 *
 * Elections go through the servers' one port here, but those classes take no server whose two ports are the
 * same. A server whose entry names no client port is told without one: clients may put what stands here in
 * the place of what they were configured with, so nothing is guessed.
 */

import type { ServerId } from "../core/identity.ts";
import type { Mutant } from "../core/mutant.ts";
import type { ServerAddress } from "./settings.ts";

/** How far ZooKeeper's usual ports, 2888 and 3888, are apart. */
const APART = 1000;

export function clusterText(
  servers: ReadonlyMap<ServerId, ServerAddress>,
  mutant: Mutant | null = null,
): string {
  if (servers.size === 0) return "";
  const lines = [...servers].map(([id, address]) => `server.${id}=${print(address)}`);
  return [...lines, ...(mutant === "config-without-version" ? [] : ["version=0"])].join("\n");
}

function print({ host, port, electionPort, clientHost, clientPort }: ServerAddress): string {
  const election = electionPort === null || electionPort === port ? otherThan(port) : electionPort;
  const clients = clientPort === null ? "" : `;${bracketed(clientHost ?? host)}:${clientPort}`;
  return `${bracketed(host)}:${port}:${election}:participant${clients}`;
}

const otherThan = (port: number): number => (port + APART <= 65_535 ? port + APART : port - APART);
const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);
