/**
 * A server that is watched over, for tests: one client owns an ephemeral znode and watches, another has only
 * connected.
 */

import { instant, milliseconds } from "../../core/time.ts";
import { Expiry } from "../../front/expiry.ts";
import { getData, PlayedServer } from "../front/front-stage.ts";
import { Spread } from "../../core/spread.ts";
import { make, Stage } from "../tree/stage.ts";
import { type HostFacts, type Status, statusOf } from "../../watch/status.ts";

const elections = new Spread();
elections.add(25);

const HOST: HostFacts = {
  version: "3.8.0-polebench",
  self: 1,
  role: "leader",
  uptimeMs: 60_000,
  openFiles: 40,
  maxFiles: 20_000,
  dataBytes: 123,
  logBytes: 456,
  configuration: [["clientPort", 2181]],
  environment: [["zookeeper.version", "3.8.0-polebench"]],
  metrics: [["quorum_size", 3]],
  spreads: [["election_time", elections]],
  process: [["process_cpu_seconds_total", 1.5]],
  ensemble: {
    phase: "broadcast",
    leader: { id: 1, host: "zoo1" },
    servers: [{ id: 1, address: "zoo1:2888" }],
  },
  proposals: null,
  snapshot: { zxid: "0x100000001", at: 1_700_000_000_000 },
  timeOfDay: (at) => 1_700_000_000_000 + at / 1000,
};

interface Given {
  readonly serving?: boolean;
  readonly leads?: boolean;
  readonly host?: Partial<HostFacts>;
}

export interface WatchedServer {
  readonly server: PlayedServer;
  readonly status: () => Status;
}

export function watchedServer({ serving = true, leads = true, host = {} }: Given = {}): WatchedServer {
  const stage = new Stage();
  const server = new PlayedServer(stage);
  const client = server.connect(1, "10.0.0.1");
  client.greet();
  client
    .send(make("/e", { flags: 1 }))
    .send(getData("/e", true))
    .send(getData("/", true));
  server.connect(2, "10.0.0.2");
  const expiry = new Expiry(milliseconds(2000), instant(0));
  for (const { id, timeoutMs } of stage.tree.state.sessions.all()) expiry.add(id, timeoutMs, instant(0));
  const status = (): Status =>
    statusOf(server.front, stage.tree, leads ? expiry.schedule() : null, serving, { ...HOST, ...host });
  return { server, status };
}
