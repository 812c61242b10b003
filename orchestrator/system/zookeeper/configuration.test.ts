import assert from "node:assert/strict";
import test from "node:test";
import type { Place } from "../system.ts";
import { zooConfiguration } from "./configuration.ts";

test("a server's zoo.cfg names its own port and every server of the ensemble", () => {
  const places: [Place, Place] = [
    { id: 1, clientPort: 11, quorumPort: 12, electionPort: 13 },
    { id: 2, clientPort: 21, quorumPort: 22, electionPort: 23 },
  ];
  assert.equal(
    zooConfiguration(places[1], places, "data", { tickTime: 500, forceSync: "no" }),
    `tickTime=500
initLimit=10
syncLimit=5
maxClientCnxns=0
4lw.commands.whitelist=*
admin.enableServer=false
forceSync=no
dataDir=data
clientPort=21
clientPortAddress=127.0.0.1
server.1=127.0.0.1:12:13;127.0.0.1:11
server.2=127.0.0.1:22:23;127.0.0.1:21
`,
  );
});
