/** The programs that speak ZooKeeper's client protocol, to whoever serves it. */

import { fileURLToPath } from "node:url";
import type { Speakers } from "../system.ts";

const programAt = (path: string): string => fileURLToPath(new URL(`../../workload/${path}`, import.meta.url));

export const ZOOKEEPER_SPEAKERS: Speakers = {
  writers: {
    typescript: [process.execPath, programAt("client-main.ts")],
    kazoo: ["/usr/bin/python3", programAt("kazoo_client.py")],
  },
  readBack: [process.execPath, programAt("read-back.ts")],
  load: [process.execPath, programAt("load/main.ts")],
};
