/**
 * etcd, Debian's 3.4, with Raft's own election: whoever misses its leader for a time that is drawn stands,
 * and leads when a quorum's logs are not newer. Its clients speak gRPC over HTTP/2, here by `client/`.
 */

import { fileURLToPath } from "node:url";
import { execaSync } from "execa";
import { isInstalled } from "../../testbed/environment.ts";
import type { Mode, Place, System } from "../system.ts";
import { askOnce } from "./client/channel.ts";
import { EtcdKeyClient } from "./client/key-client.ts";
import { furnishEtcd } from "./configuration.ts";
import { commandOf, EtcdTrial } from "./trial.ts";
import { METHODS, readStatus, status } from "./wire/messages.ts";
import { HOST } from "../../topology/loopback.ts";

const programAt = (name: string): string => fileURLToPath(new URL(`./client/${name}`, import.meta.url));
const WITHIN_MS = 1000;

/** Whoever knows no leader serves nobody. */
async function modeOf({ host = HOST, clientPort }: Place): Promise<Mode | null> {
  try {
    const place = { host, port: clientPort };
    const { header, leader } = readStatus(await askOnce(place, METHODS.status, status(), WITHIN_MS));
    if (leader === 0n) return null;
    return leader === header.member ? "leader" : "follower";
  } catch {
    return null;
  }
}

export const etcd: System = {
  name: "etcd",
  title: "etcd",
  elects: "its own way",
  runtimes: ["netns"],
  tellsFirstCommit: false,
  handsOver: true,
  bends: [],
  promises: { syncIsLinearizable: true, clientOrder: false, goesOn: false },
  protocol: "etcd",
  speakers: {
    writers: { typescript: [process.execPath, programAt("writer-main.ts")] },
    readBack: [process.execPath, programAt("read-back.ts")],
    load: [process.execPath, programAt("load-main.ts")],
  },
  torture: {
    settings: (tickMs) => ({ "heartbeat-interval": tickMs / 2, "election-timeout": 5 * tickMs }),
    // Its members are removed and added by who watches over them; one without its log must not come back.
    returnsWithNewDisk: false,
    keyClient: (places, first, policy) => new EtcdKeyClient(places, first, policy),
    diskMib: 256,
    // It ends where its disk fails, and is started anew by who watches over it.
    startedAnewMs: 1000,
    command: commandOf,
  },
  admits: () => null,
  version: () => execaSync("etcd", ["--version"]).stdout.split("\n", 1)[0] ?? null,
  missing: () => (isInstalled("etcd") ? null : "etcd is missing: apt-get install etcd-server"),
  furnish: furnishEtcd,
  command: commandOf,
  mode: modeOf,
  trial: (setting) => new EtcdTrial(setting, {}, commandOf),
};
