import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "../core/identity.ts";
import { round } from "../core/score.ts";
import { type Instant, milliseconds, seconds } from "../core/time.ts";
import { epoch, zxid } from "../core/zxid.ts";
import type { PeerMessage } from "../replica/message.ts";
import type { Purpose } from "../telemetry/traffic.ts";
import { Traffic } from "./traffic.ts";

const at = (duration: number): Instant => duration as Instant;
const HISTORY: PeerMessage = { part: "broadcast", message: { kind: "propose", transactions: [] } };
const ACK: PeerMessage = {
  part: "broadcast",
  message: { kind: "ack", epoch: epoch(2), zxid: zxid(epoch(1), 7) },
};

function told(traffic: Traffic, now: Instant, purpose: Purpose) {
  const event = traffic.due(now);
  assert.ok(event !== null);
  return event.sent[purpose];
}

suite("what a server has sent", () => {
  test("counts a frame once for each who receives it", () => {
    const traffic = new Traffic(serverId(1));
    traffic.count(HISTORY, 3, 100);
    assert.deepEqual(told(traffic, at(0), "pull"), { messages: 3, bytes: 300 });
  });

  test("is for another phase with each change of the server's part", () => {
    const traffic = new Traffic(serverId(1));
    traffic.observe({ kind: "elected", leader: serverId(1), round: round(2) }, at(0));
    traffic.count(HISTORY, 1, 10);
    assert.equal(told(traffic, at(0), "synchronization").messages, 1);
    traffic.observe({ kind: "serving", leader: serverId(1), epoch: epoch(2) }, at(10));
    traffic.count(HISTORY, 1, 10);
    assert.equal(told(traffic, at(10), "broadcast").messages, 1);
    traffic.observe({ kind: "looking", reason: "too few follow" }, at(20));
    traffic.observe({ kind: "elected", leader: serverId(2), round: round(3) }, at(30));
    traffic.count(ACK, 1, 10);
    traffic.count(HISTORY, 1, 10);
    const event = traffic.due(at(30));
    assert.equal(event?.sent.synchronization.messages, 2, "the first history, and the acknowledgement");
    assert.equal(event.sent.pull.messages, 1, "a follower's history is one that the leader pulls");
  });

  test("is told once a second, closely around a change, and never when nothing was sent", () => {
    const traffic = new Traffic(serverId(1));
    const tellings = (from: number, to: number): number => {
      let count = 0;
      for (let now = from; now < to; now += 1000) {
        traffic.count(ACK, 1, 10);
        if (traffic.due(at(now)) !== null) count += 1;
      }
      return count;
    };
    assert.equal(tellings(0, seconds(5)), 5);
    traffic.observe({ kind: "looking", reason: "the leader cannot be reached" }, at(seconds(5)));
    assert.equal(tellings(seconds(5), seconds(5) + milliseconds(100)), 10);
    assert.ok(tellings(seconds(5) + milliseconds(100), seconds(20)) < 110);
    assert.notEqual(traffic.due(at(seconds(30))), null);
    assert.equal(traffic.due(at(seconds(40))), null);
  });
});
