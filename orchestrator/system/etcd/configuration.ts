/** What an etcd server reads when it starts: a file beside its data, of which all else follows. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place, Seat, Settings } from "../system.ts";
import { clientUrl, peerUrl, TOKEN } from "./member-id.ts";

export const CONFIGURATION = "etcd.json";

/** Its own defaults, but for a log that can be read by programs. JSON is YAML too. */
export function etcdConfiguration(
  self: Place,
  all: readonly Place[],
  data: string,
  settings: Settings,
): string {
  const document = {
    name: nameOf(self),
    "data-dir": data,
    "listen-peer-urls": peerUrl(self),
    "initial-advertise-peer-urls": peerUrl(self),
    "listen-client-urls": clientUrl(self),
    "advertise-client-urls": clientUrl(self),
    "initial-cluster": all.map((place) => `${nameOf(place)}=${peerUrl(place)}`).join(","),
    "initial-cluster-token": TOKEN,
    "initial-cluster-state": "new",
    logger: "zap",
    "log-outputs": ["stderr"],
    ...settings,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const nameOf = ({ id }: Place): string => `p${id}`;

export function furnishEtcd({ place, all, home, data, settings }: Seat): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, CONFIGURATION), etcdConfiguration(place, all, data, settings));
}
