// What scripts that were written for ZooKeeper's AdminServer find. The names are as 3.8.0 answers them.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { answerCommand, COMMANDS, commandNamed } from "./admin-commands.ts";
import { exposition } from "./exposition.ts";
import { isWord } from "./four-letter-words.ts";
import { watchedServer } from "../testing/watch/status-stage.ts";

const ask = (name: string, given: Parameters<typeof watchedServer>[0] = {}) =>
  answerCommand(name, commandNamed(name), watchedServer(given).status());

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  configuration: ["client_port"],
  connections: ["connections", "secure_connections"],
  dirs: ["datadir_size", "logdir_size"],
  dump: ["expiry_time_to_session_ids", "session_id_to_ephemeral_paths"],
  environment: ["zookeeper.version"],
  is_read_only: ["read_only"],
  last_snapshot: ["zxid", "timestamp"],
  leader: ["is_leader", "leader_id", "leader_ip"],
  server_stats: ["version", "read_only", "server_stats", "client_response", "node_count"],
  voting_view: ["current_config"],
  watch_summary: ["num_connections", "num_paths", "num_total_watches"],
  watches: ["session_id_to_watched_paths"],
  watches_by_path: ["path_to_session_ids"],
};

suite("commands", () => {
  for (const [name, fields] of Object.entries(FIELDS)) {
    test(`${name} has the fields that ZooKeeper's has`, () => {
      const { code, body } = ask(name);
      assert.equal(code, 200);
      assert.deepEqual(Object.keys(body), [...fields, "command", "error"]);
      assert.deepEqual([body["command"], body["error"]], [name, null]);
    });
  }

  test("say what the words say", () => {
    const { connections } = ask("cons").body as { connections: Record<string, unknown>[] };
    assert.deepEqual(connections[0], {
      remote_socket_address: "10.0.0.1:5001",
      outstanding_requests: 0,
      packets_received: 4,
      packets_sent: 4,
      session_id: 0x1_0000_0001,
      last_operation: "GETD",
      established: 1_700_000_000_000,
      session_timeout: 10_000,
      last_cxid: 3,
      last_zxid: 0x1_0000_0002,
      last_response_time: 1_700_000_000_000,
      last_latency: 0,
      min_latency: 0,
      avg_latency: 0,
      max_latency: 0,
    });
    assert.deepEqual(ask("wchp").body["path_to_session_ids"], {
      "/e": [0x1_0000_0001],
      "/": [0x1_0000_0001],
    });
    assert.deepEqual(ask("dump").body["session_id_to_ephemeral_paths"], { [0x1_0000_0001]: ["/e"] });
    assert.deepEqual(ask("lsnp").body, {
      zxid: "100000001",
      timestamp: 1_700_000_000,
      command: "last_snapshot",
      error: null,
    });
    assert.equal(ask("mntr").body["znode_count"], 5);
  });

  test("are found by the word, too, and by other names", () => {
    for (const { name, word, aliases } of COMMANDS) {
      for (const other of [name, ...(word === null ? [] : [word]), ...aliases]) {
        assert.equal(commandNamed(other)?.name, name);
      }
      assert.ok(word === null || isWord(word));
    }
  });

  test("that are not known, or not now, say so in the status as well", () => {
    assert.deepEqual(ask("nonsense"), {
      code: 404,
      body: { command: "nonsense", error: "Unknown command: nonsense" },
    });
    const refusal = "This ZooKeeper instance is not currently serving requests";
    for (const { name, always } of COMMANDS) {
      const { code, body } = ask(name, { serving: false });
      assert.equal(code, always ? 200 : 503, name);
      if (!always) assert.deepEqual(body, { command: name, error: refusal });
    }
  });
});

test("Prometheus is told each number once, with its type, and no text", () => {
  const text = exposition(watchedServer().status());
  const lines = text.trimEnd().split("\n");
  const samples = lines.filter((line) => !line.startsWith("#"));
  for (const sample of samples) assert.match(sample, /^[a-z_]+ -?\d+(?:\.\d+)?$/);
  assert.equal(new Set(samples.map((sample) => sample.split(" ")[0])).size, samples.length);
  assert.match(text, /^# TYPE znode_count gauge\nznode_count 5$/m);
  assert.match(text, /^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.5$/m);
  assert.match(text, /^# TYPE election_time summary\nelection_time_count 1\nelection_time_sum 25$/m);
  assert.doesNotMatch(text, /version|server_state/);
});
