import assert from "node:assert/strict";
import test from "node:test";
import { zookeeperReader } from "./events.ts";

const SAID = (level: string, from: string, what: string, at: string): string =>
  `2026-11-18T17:54:${at}Z ${level} org.apache.zookeeper.server.quorum.${from} - ${what}\n`;
const vote = (sid: number, state: string, leader: number, at: string): string =>
  SAID(
    "INFO",
    "FastLeaderElection",
    `Notification: my state:LOOKING; n.sid:${sid}, n.state:${state}, n.leader:${leader}, n.round:0x2, ` +
      "n.peerEpoch:0x1, n.zxid:0x100000007, message format version:0x2, n.config version:0x0",
    at,
  );
const peer = (what: string, at: string): string => SAID("INFO", "QuorumPeer", what, at);

/** As Debian's 3.8.0 writes it when the third of three was killed. */
const LOG = [
  SAID("INFO", "Learner", "Disconnected from leader (with address: /127.0.0.1:23888).", "46.807"),
  peer("Peer state changed: looking", "46.812"),
  peer("LOOKING", "46.813"),
  SAID("INFO", "FastLeaderElection", "New election. My id = 1, proposed zxid=0x100000007", "46.815"),
  vote(2, "LOOKING", 2, "46.829"),
  vote(1, "LOOKING", 1, "46.830"),
  SAID("WARN", "QuorumCnxManager", "Cannot open channel to 3 at election address /127.0.0.1:23999", "46.831"),
  "java.net.ConnectException: Connection refused\n",
  peer("Peer state changed: leading", "47.037"),
  peer("Peer state changed: leading - discovery", "47.057"),
  peer("Peer state changed: leading - synchronization", "47.204"),
  SAID(
    "INFO",
    "Leader",
    "Have quorum of supporters, sids: [[1, 2]]; starting up and setting last processed zxid: 0x200000000",
    "47.252",
  ),
  peer("Peer state changed: leading - broadcast", "47.261"),
].join("");

const between = (log: string): readonly (readonly [number, string])[] => {
  const events = zookeeperReader(1, 0)(log);
  const [first] = events;
  return events.map(({ at, event }) => [Math.round((at - (first?.at ?? 0)) / 1e3), event.kind]);
};

test("the story of a new leader, by the milliseconds of its log", () => {
  assert.deepEqual(between(LOG), [
    [0, "lost"],
    [6, "looking"],
    [230, "elected"],
    [397, "discovered"],
    [445, "established"],
    [454, "serving"],
  ]);
  const events = zookeeperReader(1, 0)(LOG).map(({ event }) => event);
  assert.deepEqual(events[3], { kind: "discovered", epoch: 2, newest: 1, lastZxid: 0x100000007 });
  assert.deepEqual(events[5], { kind: "serving", leader: 1, epoch: 2 });
});

test("who comes late learns the leader from those who follow it", () => {
  const log = [
    peer("LOOKING", "01.000"),
    vote(1, "LOOKING", 1, "01.001"),
    vote(3, "LEADING", 3, "01.002"),
    peer("Peer state changed: following", "01.200"),
    peer("Peer state changed: following - broadcast", "01.300"),
  ].join("");
  assert.deepEqual(
    zookeeperReader(1, 0)(log).map(({ event }) => event),
    [
      { kind: "looking", reason: "it has no leader" },
      { kind: "elected", leader: 3, round: 2 },
      { kind: "serving", leader: 3, epoch: 2 },
    ],
  );
});

test("a last line that was cut off says nothing", () => {
  assert.deepEqual(between(LOG.slice(0, -2)).length, 5);
});

test("a log that is read piece by piece tells the same", () => {
  const read = zookeeperReader(1, 0);
  const pieces = LOG.split(/(?<=\n)/).flatMap((line) => read(line));
  assert.deepEqual(pieces, zookeeperReader(1, 0)(LOG));
});
