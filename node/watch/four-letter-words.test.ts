// What scripts that were written for ZooKeeper 3.8 find in the answers. Texts are as Apache ZooKeeper 3.8.0
// gives them.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { clientId } from "../core/identity.ts";
import { answerWord, isWord, WORDS, whitelist } from "./four-letter-words.ts";
import { Spread } from "../core/spread.ts";
import { watchedServer } from "../testing/watch/status-stage.ts";

function begin() {
  const all = whitelist("*");
  const say = (word: string, { allowed = all, ...given }: Saying = {}) => {
    assert.ok(isWord(word));
    return answerWord(word, allowed, watchedServer(given).status());
  };
  return { say };
}

type Saying = Parameters<typeof watchedServer>[0] & { allowed?: ReturnType<typeof whitelist> };

suite("four-letter words", () => {
  const texts: [string, string][] = [
    ["ruok", "imok"],
    ["isro", "rw"],
    [
      "srvr",
      "Zookeeper version: 3.8.0-polebench\nLatency min/avg/max: 0/0.0/0\nReceived: 4\nSent: 4\n" +
        "Connections: 2\nOutstanding: 0\nZxid: 0x100000002\nMode: leader\nNode count: 5\n",
    ],
    [
      "stat",
      "Zookeeper version: 3.8.0-polebench\nClients:\n /10.0.0.1:5001[1](queued=0,recved=4,sent=4)\n" +
        " /10.0.0.2:5002[1](queued=0,recved=0,sent=0)\n\nLatency min/avg/max: 0/0.0/0\n" +
        "Received: 4\nSent: 4\nConnections: 2\nOutstanding: 0\n" +
        "Zxid: 0x100000002\nMode: leader\nNode count: 5\n",
    ],
    [
      "cons",
      " /10.0.0.1:5001[1](queued=0,recved=4,sent=4,sid=0x100000001,lop=GETD,est=1700000000000,to=10000," +
        "lcxid=0x3,lzxid=0x100000002,lresp=1700000000000,llat=0,minlat=0,avglat=0,maxlat=0)\n" +
        " /10.0.0.2:5002[1](queued=0,recved=0,sent=0)\n\n",
    ],
    [
      "conf",
      "clientPort=2181\ndataDirSize=123\ndataLogSize=456\nmembership: \nserver.1=zoo1:2888:participant\n",
    ],
    ["envi", "Environment:\nzookeeper.version=3.8.0-polebench\n"],
    ["dirs", "datadir_size: 123\nlogdir_size: 456\n"],
    ["wchs", "1 connections watching 2 paths\nTotal watches:2\n"],
    ["wchc", "0x100000001\n\t/e\n\t/\n\n"],
    ["wchp", "/e\n\t0x100000001\n/\n\t0x100000001\n\n"],
    ["crst", "Connection stats reset.\n"],
    ["srst", "Server stats reset.\n"],
    [
      "dump",
      "SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at 1700000012000:\n\t0x100000001\n" +
        "ephemeral nodes dump:\nSessions with Ephemerals (1):\n0x100000001:\n\t/e\n" +
        "Connections dump:\nConnections Sets (2)/(2):\n" +
        "\tip: /10.0.0.1:5001 sessionId: 0x100000001\n\tip: /10.0.0.2:5002 sessionId: 0x0\n",
    ],
  ];
  for (const [word, text] of texts) test(word, () => assert.equal(begin().say(word), text));

  test("mntr has a line for each number, and those of the host", () => {
    const pairs = begin()
      .say("mntr")
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t") as [string, string]);
    const values = new Map(pairs);
    for (const [key, value] of [
      ["zk_version", "3.8.0-polebench"],
      ["zk_server_state", "leader"],
      ["zk_znode_count", "5"],
      ["zk_ephemerals_count", "1"],
      ["zk_watch_count", "2"],
      ["zk_global_sessions", "1"],
      ["zk_quorum_size", "3"],
    ] as const) {
      assert.equal(values.get(key), value, key);
    }
  });

  test("a follower dumps the sessions it knows of, without saying when they end", () => {
    assert.match(
      begin().say("dump", { leads: false }),
      /^SessionTracker dump:\nGlobal Sessions\(1\):\n0x100000001\t10000ms\n/,
    );
  });

  test("that are not on the whitelist are not executed; by default all but srvr", () => {
    const { say } = begin();
    const allowed = whitelist("srvr");
    for (const word of WORDS) {
      const refusal = `${word} is not executed because it is not in the whitelist.\n`;
      if (word === "srvr") assert.notEqual(say(word, { allowed }), refusal);
      else assert.equal(say(word, { allowed }), refusal);
    }
    assert.deepEqual([...whitelist(" stat, nonsense,ruok")], ["stat", "ruok", "srvr"]);
    assert.deepEqual([...whitelist("", true)], ["srvr", "isro"]);
  });

  test("about the service say so while there is none", () => {
    const { say } = begin();
    const none = "This ZooKeeper instance is not currently serving requests\n";
    for (const word of ["srvr", "stat", "mntr", "cons", "dump", "wchs"])
      assert.equal(say(word, { serving: false }), none);
    assert.equal(say("ruok", { serving: false }), "imok");
    assert.equal(say("isro", { serving: false }), "null");
    assert.equal(say("isro", { host: { role: "read-only" } }), "ro");
  });

  test("that reset leave everything at nothing", () => {
    const { server, status } = watchedServer();
    server.front.clearStatistics("connections");
    server.front.clearStatistics("server");
    assert.match(answerWord("srvr", whitelist("*"), status()), /Received: 0\nSent: 0\n/);
    assert.equal(server.front.connections.get(clientId(1))?.received, 0);
  });

  test("tell more of a leader: what it proposed, and in mntr its place", () => {
    const proposals = new Spread();
    for (const size of [40, 20, 30]) proposals.add(size);
    const { say } = begin();
    assert.match(say("srvr", { host: { proposals } }), /^Proposal sizes last\/min\/max: 30\/20\/40$/m);
    const lines = say("mntr", { host: { proposals } });
    assert.match(lines, /^zk_peer_state\tleading - broadcast$/m);
    assert.match(lines, /^zk_max_proposal_size\t40$/m);
    assert.match(lines, /^zk_cnt_election_time\t1$/m);
  });
});
