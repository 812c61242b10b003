import assert from "node:assert/strict";
import test from "node:test";
import { eventsOf, hasSaid } from "./events.ts";

const LOG = `(node:7) a warning that is no JSON
{"level":30,"time":1,"server":4,"at":900,"event":"listening","clientPort":2181,"msg":"takes clients"}
{"level":40,"time":1,"server":4,"at":1500,"event":"down","server":5,"silent":true,"reason":"none","msg":"-"}
{"level":30,"time":1,"server":4,"at":1700,"event":"elected","leader":3,"round":2,"msg":"round 2"}
{"level":30,"time":1,"server":4,"at":1800,"event":"established","epo`;

test("a log is the events of its replica, since the load began, without what is for people", () => {
  assert.deepEqual(eventsOf(LOG, 4, 1000), [
    { at: 500, server: 4, event: { kind: "down", server: 5, silent: true, reason: "none" } },
    { at: 700, server: 4, event: { kind: "elected", leader: 3, round: 2 } },
  ]);
});

test("what is no event of the replica can be asked for", () => {
  assert.deepEqual([hasSaid(LOG, "listening"), hasSaid(LOG, "serving")], [true, false]);
});
