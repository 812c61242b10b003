/** Files that people write. Whatever is in them, there is a configuration or a list of what is wrong. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readConfig } from "#node/config/config.ts";
import { parseTopology, shippedTopologies } from "../topology/topology.ts";
import { RefusedInput } from "../terminal/problem.ts";
import type { Target } from "./target.ts";

const ZOO_CFG = `# as ZooKeeper's own sample
tickTime=2000
initLimit=10
dataDir=/var/lib/zookeeper
clientPort=2181
forceSync=no
oracle=latency
preference=3,1
4lw.commands.whitelist=ruok, srvr
server.1=zoo1:2888:3888
server.2=zoo2:2888:3888:participant
server.3=[fd00::3]:2888:3888;2183
`;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const configurationTarget = (): Target => ({
  seeds: [ZOO_CFG, "tickTime=2s\nsecret=thirty letters are long enough\n"].map((text) =>
    encoder.encode(text),
  ),
  feed(bytes) {
    const files: Record<string, string> = { "zoo.cfg": decoder.decode(bytes) };
    const reading = readConfig({
      arguments: ["zoo.cfg", "--id", "1"],
      environment: {},
      readFile(path) {
        const text = files[path];
        if (text === undefined) throw new Error("ENOENT");
        return text;
      },
    });
    if (reading.kind === "wrong" && reading.problems.length === 0) throw new Error("wrong, and no word why");
  },
});

export const topologyTarget = (): Target => ({
  seeds: shippedTopologies().map((name) =>
    // A Buffer's `slice` does not copy, and seeds must not change.
    Uint8Array.from(readFileSync(fileURLToPath(new URL(`../../topologies/${name}.yaml`, import.meta.url)))),
  ),
  feed(bytes) {
    try {
      parseTopology(decoder.decode(bytes), "fuzz.yaml");
    } catch (error) {
      if (!(error instanceof RefusedInput)) throw error;
    }
  },
});
