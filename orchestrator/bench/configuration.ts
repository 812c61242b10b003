/**
 * The configuration of an ensemble, on one machine unless it is said otherwise: for every server its
 * `zoo.cfg`, its ports and its place in the list.
 */

import { HOST } from "../topology/loopback.ts";

export interface Place {
  readonly id: number;
  /** This machine, when nothing is said. */
  readonly host?: string;
  readonly clientPort: number;
  /** Where followers connect to their leader. */
  readonly quorumPort: number;
  readonly electionPort: number;
}

/** More lines of zoo.cfg, or others than these. */
export type Settings = Readonly<Record<string, string | number>>;

/**
 * ZooKeeper's own defaults (its sample: tickTime 2000, initLimit 10, syncLimit 5) with fsync on, but for what
 * a test of it needs: all four-letter words, no HTTP port, as many clients as there are.
 */
const DEFAULTS: Settings = {
  tickTime: 2000,
  initLimit: 10,
  syncLimit: 5,
  maxClientCnxns: 0,
  "4lw.commands.whitelist": "*",
  "admin.enableServer": "false",
};

export function zooConfiguration(
  self: Place,
  all: readonly Place[],
  dataFolder: string,
  settings: Settings = {},
): string {
  const lines = Object.entries({
    ...DEFAULTS,
    ...settings,
    dataDir: dataFolder,
    clientPort: self.clientPort,
    clientPortAddress: self.host ?? HOST,
  }).map(([key, value]) => `${key}=${value}`);
  const servers = all.map(
    ({ id, host = HOST, quorumPort, electionPort }) => `server.${id}=${host}:${quorumPort}:${electionPort}`,
  );
  return [...lines, ...servers, ""].join("\n");
}
