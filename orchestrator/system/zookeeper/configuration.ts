/**
 * The configuration of an ensemble, on one machine unless it is said otherwise: for every server its
 * `zoo.cfg`, its ports and its place in the list.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOST } from "../../topology/loopback.ts";
import type { Place, Seat, Settings } from "../system.ts";

export const ZOO_CFG = "zoo.cfg";
/** The file by which a server knows which of them it is. */
export const MY_ID = "myid";

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
    ({ id, host = HOST, quorumPort, electionPort, clientPort }) =>
      `server.${id}=${host}:${quorumPort}:${electionPort};${host}:${clientPort}`,
  );
  return [...lines, ...servers, ""].join("\n");
}

/** What both read that speak ZooKeeper's configuration. */
export function furnishZookeeper({ place, all, home, data, settings }: Seat): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(join(data, MY_ID), `${place.id}\n`);
  writeFileSync(join(home, ZOO_CFG), zooConfiguration(place, all, data, settings));
}
