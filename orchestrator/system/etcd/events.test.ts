import assert from "node:assert/strict";
import test from "node:test";
import { serverId } from "#node/core/identity.ts";
import { etcdReader } from "./events.ts";
import { memberId, membersOf } from "./member-id.ts";

const place = (id: number) =>
  ({ id, host: `10.0.0.${id}`, clientPort: 2181, quorumPort: 2888, electionPort: 2888 }) as const;
const PLACES = [place(1), place(2), place(3)];
const MEMBERS = membersOf(PLACES);
const [p1 = "", p2 = "", p3 = ""] = PLACES.map((one) => memberId(one).toString(16));

const said = (seconds: string, msg: string): string =>
  `${JSON.stringify({ level: "info", ts: `2026-11-20T05:10:${seconds}Z`, msg })}\n`;

/** As Debian's 3.4.23 writes it when the third of three was killed and the first is elected. */
const LOG = [
  said("00.100", `raft.node: ${p1} elected leader ${p3} at term 2`),
  said("07.000", `${p1} is starting a new election at term 2`),
  said("07.000", `${p1} became candidate at term 3`),
  said("07.001", `raft.node: ${p1} lost leader ${p3} at term 3`),
  said("07.040", `${p1} received MsgVoteResp from ${p2} at term 3`),
  said("07.040", `${p1} became leader at term 3`),
  said("07.041", `raft.node: ${p1} elected leader ${p1} at term 3`),
].join("");

test("the story of a new leader, by the milliseconds of its log", () => {
  const events = etcdReader(serverId(1), MEMBERS, 0)(LOG).filter(({ event }) => event.kind !== "lost");
  const [first] = events;
  assert.deepEqual(
    events.map(({ at, event }) => [Math.round((at - (first?.at ?? 0)) / 1e3), event]),
    [
      [0, { kind: "elected", leader: 3, round: 2 }],
      [0, { kind: "serving", leader: 3, epoch: 2 }],
      [6900, { kind: "looking", reason: `${p1} is starting a new election at term 2` }],
      [6940, { kind: "elected", leader: 1, round: 3 }],
      [6940, { kind: "established", epoch: 3, initial: 0 }],
      [6941, { kind: "serving", leader: 1, epoch: 3 }],
    ],
  );
});

test("who did not stand notices when it is asked, and follows whom a request made leader", () => {
  const log = [
    said("07.020", `raft.node: ${p2} lost leader ${p3} at term 3`),
    said("07.060", `raft.node: ${p2} elected leader ${p1} at term 3`),
    said("09.000", `raft.node: ${p2} changed leader from ${p1} to ${p3} at term 4`),
  ].join("");
  assert.deepEqual(
    etcdReader(
      serverId(2),
      MEMBERS,
      0,
    )(log).map(({ event }) => [event.kind, "leader" in event && event.leader]),
    [
      ["lost", 3],
      ["looking", false],
      ["elected", 1],
      ["serving", 1],
      ["elected", 3],
      ["serving", 3],
    ],
  );
});

test("what is no line of its log, and a last line that was cut off, says nothing", () => {
  assert.equal(etcdReader(serverId(1), MEMBERS, 0)(`etcd Version: 3.4.23\n${LOG.slice(0, -2)}`).length, 6);
});
