import assert from "node:assert/strict";
import test from "node:test";
import type { Place } from "../system.ts";
import { etcdConfiguration } from "./configuration.ts";

test("a server's configuration names its own places, every member, and what was set besides", () => {
  const places: [Place, Place] = [
    { id: 1, clientPort: 11, quorumPort: 12, electionPort: 13 },
    { id: 2, host: "10.0.0.2", clientPort: 21, quorumPort: 22, electionPort: 23 },
  ];
  const written = JSON.parse(etcdConfiguration(places[1], places, "data", { "heartbeat-interval": 25 }));
  assert.deepEqual(written, {
    name: "p2",
    "data-dir": "data",
    "listen-peer-urls": "http://10.0.0.2:22",
    "initial-advertise-peer-urls": "http://10.0.0.2:22",
    "listen-client-urls": "http://10.0.0.2:21",
    "advertise-client-urls": "http://10.0.0.2:21",
    "initial-cluster": "p1=http://127.0.0.1:12,p2=http://10.0.0.2:22",
    "initial-cluster-token": "polebench",
    "initial-cluster-state": "new",
    logger: "zap",
    "log-outputs": ["stderr"],
    "heartbeat-interval": 25,
  });
});
