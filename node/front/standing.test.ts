import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../core/identity.ts";
import { instant, milliseconds, timeOfDay } from "../core/time.ts";
import type { Round } from "../core/score.ts";
import { epoch, ZERO, zxid } from "../core/zxid.ts";
import { Standing } from "./standing.ts";

const [self, follower] = [serverId(1), serverId(2)];
const at = (ms: number) => instant(ms * 1000);

test("a server that comes to lead, brings a follower level, and loses everything again", () => {
  const standing = new Standing();
  standing.tell({ kind: "looking", reason: "it has just started" }, at(0));
  assert.equal(standing.isCutOff(at(1999)), false);
  assert.equal(standing.isCutOff(at(2000)), true);
  standing.tell({ kind: "elected", leader: self, round: 1 as Round }, at(2500));
  assert.deepEqual(
    [standing.phase, standing.elections.last, standing.isCutOff(at(2500))],
    ["discovery", 2500, true],
  );
  standing.tell({ kind: "discovered", epoch: epoch(1), newest: self, lastZxid: ZERO }, at(2501));
  assert.equal(standing.phase, "synchronization");
  standing.tell({ kind: "synchronized", follower, bytes: 0 }, at(2502));
  standing.tell({ kind: "serving", leader: self, epoch: epoch(1) }, at(2503));
  assert.deepEqual([standing.phase, standing.leader, standing.level.size], ["broadcast", self, 1]);
  assert.equal(standing.isCutOff(at(9999)), false);
  assert.equal(standing.servingFor(at(2600)), 97_000);
  standing.tell({ kind: "down", server: follower, silent: true, reason: "silence" }, at(3000));
  assert.equal(standing.level.size, 0);
  standing.tell({ kind: "lost", leader: self, reason: "too few follow" }, at(3001));
  standing.tell({ kind: "looking", reason: "too few follow" }, at(3001));
  assert.deepEqual(
    [standing.phase, standing.leader, standing.servingFor(at(3001))],
    ["election", null, null],
  );
  assert.equal(standing.searches, 2);
});

test("where elections may take longer, it takes longer to be cut off", () => {
  const standing = new Standing(() => milliseconds(500));
  standing.tell({ kind: "looking", reason: "it has just started" }, at(0));
  assert.deepEqual([standing.isCutOff(at(4999)), standing.isCutOff(at(5000))], [false, true]);
});

test("what a leader writes are proposals; a snapshot counts with its last chunk", () => {
  const standing = new Standing();
  const ticket = { origin: self, life: 1, sequence: 1 };
  const payload = new Uint8Array(9);
  const one = { zxid: zxid(epoch(1), 1), time: timeOfDay(0), ticket, payload, imaged: false };
  standing.wrote([{ kind: "transaction", transaction: one }], false);
  standing.wrote([{ kind: "transaction", transaction: one }], true);
  assert.deepEqual([standing.proposals.count, standing.proposals.most], [1, 9]);
  const chunk = { kind: "snapshot", zxid: one.zxid, replaces: "prefix", bytes: payload } as const;
  standing.wrote([{ ...chunk, index: 0, last: false }], true);
  assert.equal(standing.snapshot, null);
  standing.wrote([{ ...chunk, index: 1, last: true }], true);
  assert.equal(standing.snapshot, one.zxid);
});
