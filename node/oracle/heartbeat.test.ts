import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect, Input } from "../core/automaton.ts";
import { type ServerId, serverId } from "../core/identity.ts";
import { BLANK } from "../core/recovery.ts";
import { instant, milliseconds, seconds, timeOfDay } from "../core/time.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { HeartbeatOutput, HeartbeatProtocol } from "./heartbeat-message.ts";

const p2 = serverId(2);
const p3 = serverId(3);
type Effects = readonly Effect<HeartbeatProtocol>[];

/** A heartbeat whose clock is read in milliseconds. */
class Knocker {
  readonly #heartbeat = new Heartbeat({ period: seconds(1), missed: 3 });

  at(ms: number, input: Input<HeartbeatProtocol>): Effects {
    return this.#heartbeat.step(input, instant(ms * 1e3));
  }

  start(): Effects {
    return this.at(0, { kind: "start", recovered: BLANK, life: 1, timeOfDay: timeOfDay(0) });
  }

  connect(ms: number, server: ServerId): Effects {
    return this.at(ms, { kind: "connected", server });
  }

  pong(ms: number, from: ServerId, sequence: number): Effects {
    return this.at(ms, { kind: "message", from, message: { kind: "pong", sequence } });
  }
}

const sent = (effects: Effects) => effects.flatMap((e) => (e.kind === "send" ? [e] : []));
const outputs = (effects: Effects): HeartbeatOutput[] =>
  effects.flatMap((e) => (e.kind === "output" ? [e.output] : []));
const armed = (effects: Effects, timer: string) =>
  effects.flatMap((e) => (e.kind === "arm" && e.timer === timer ? [e.after / 1e3] : []));

test("a server is pinged when it connects and then with all the others each period", () => {
  const me = new Knocker();
  assert.deepEqual(armed(me.start(), "ping"), [1000]);
  assert.deepEqual(
    sent(me.connect(10, p2)).map((e) => e.to),
    [[p2]],
  );
  me.connect(20, p3);
  const period = me.at(1000, { kind: "timeout", timer: "ping" });
  assert.deepEqual(
    sent(period).map((e) => e.to),
    [[p2, p3]],
  );
  assert.deepEqual(armed(period, "ping"), [1000]);
});

test("a ping is answered, and tells the request rate of its sender", () => {
  const me = new Knocker();
  me.connect(0, p2);
  const heard = me.at(5, {
    kind: "message",
    from: p2,
    message: { kind: "ping", sequence: 7, requestsPerSecond: 250 },
  });
  assert.deepEqual(
    sent(heard).map((e) => e.message),
    [{ kind: "pong", sequence: 7 }],
  );
  assert.deepEqual(outputs(heard), [{ kind: "rate", server: p2, perSecond: 250 }]);
});

test("pings carry the own request rate", () => {
  const me = new Knocker();
  me.at(0, { kind: "request", request: { kind: "rate", perSecond: 333.3 } });
  const [ping] = sent(me.connect(0, p2));
  assert.deepEqual(ping?.message, { kind: "ping", sequence: 1, requestsPerSecond: 333.3 });
});

test("the round trip is from a ping to its own pong", () => {
  const me = new Knocker();
  me.connect(0, p2);
  assert.deepEqual(outputs(me.pong(77, p2, 1)), [
    { kind: "roundTrip", server: p2, rtt: milliseconds(77), reach: milliseconds(154) },
  ]);
});

test("the mean moves slowly: one late answer of many is an eighth of its lateness", () => {
  const me = new Knocker();
  me.connect(0, p2);
  me.pong(10, p2, 1);
  for (let n = 1; n <= 20; n++) {
    me.at(n * 1000, { kind: "timeout", timer: "ping" });
    me.pong(n * 1000 + 10, p2, n + 1);
  }
  me.at(21_000, { kind: "timeout", timer: "ping" });
  assert.deepEqual(outputs(me.pong(21_090, p2, 22)), [
    { kind: "roundTrip", server: p2, rtt: milliseconds(20), reach: milliseconds(40) },
  ]);
});

test("a pong to no ping of this life is no sample", () => {
  const me = new Knocker();
  me.connect(0, p2);
  assert.deepEqual(outputs(me.pong(3, p2, 99)), []);
});

test("a pong that 64 pings have overtaken tells nothing any more", () => {
  const me = new Knocker();
  me.connect(0, p2);
  for (let n = 1; n <= 63; n++) me.at(n * 1000, { kind: "timeout", timer: "ping" });
  assert.equal(outputs(me.pong(63_010, p2, 1)).length, 1);
  me.at(64_000, { kind: "timeout", timer: "ping" });
  assert.deepEqual(outputs(me.pong(64_010, p2, 1)), []);
});

test("a server from which nothing comes for three periods and what an answer takes is down", () => {
  const me = new Knocker();
  me.connect(0, p2);
  const due = 3000 + 100 + 4 * 50;
  me.pong(100, p2, 1);
  const early = me.at(due + 99, { kind: "timeout", timer: "silence" });
  assert.deepEqual(outputs(early), []);
  assert.deepEqual(armed(early, "silence"), [1]);
  assert.deepEqual(outputs(me.at(due + 100, { kind: "timeout", timer: "silence" })), [
    { kind: "down", server: p2, silent: true, reason: "nothing heard for 3300 ms" },
  ]);
});

test("any heartbeat shows that its sender lives, the answer as well as the question", () => {
  const me = new Knocker();
  me.connect(0, p2);
  me.pong(100, p2, 1);
  me.at(2000, { kind: "message", from: p2, message: { kind: "ping", sequence: 1, requestsPerSecond: 0 } });
  const effects = me.at(3400, { kind: "timeout", timer: "silence" });
  assert.deepEqual(outputs(effects), []);
  assert.deepEqual(armed(effects, "silence"), [2000 + 3300 - 3400]);
});

test("a silent server that is heard again is up, and its old distance is forgotten", () => {
  const me = new Knocker();
  me.connect(0, p2);
  me.pong(100, p2, 1);
  me.at(1000, { kind: "timeout", timer: "ping" });
  me.at(3500, { kind: "timeout", timer: "silence" });
  // It was paused, and now answers the ping of 1000 ms: three seconds are not its distance.
  const back = me.pong(4000, p2, 2);
  assert.deepEqual(outputs(back), [{ kind: "up", server: p2 }]);
  assert.equal(sent(back).length, 1);
  assert.deepEqual(outputs(me.pong(4050, p2, 3)), [
    { kind: "roundTrip", server: p2, rtt: milliseconds(50), reach: milliseconds(100) },
  ]);
});

test("a lost connection is down at once, and once only", () => {
  const me = new Knocker();
  me.connect(0, p2);
  assert.deepEqual(outputs(me.at(5, { kind: "unreachable", server: p2 })), [
    { kind: "down", server: p2, silent: false, reason: "connection lost" },
  ]);
  me.connect(10, p2);
  me.at(5000, { kind: "timeout", timer: "silence" });
  me.at(5001, { kind: "timeout", timer: "silence" });
  assert.deepEqual(outputs(me.at(6000, { kind: "unreachable", server: p2 })), []);
});

test("a server that was itself asleep suspects nobody for it", () => {
  const me = new Knocker();
  me.connect(0, p2);
  me.pong(10, p2, 1);
  const late = me.at(60_000, { kind: "timeout", timer: "silence" });
  assert.deepEqual(outputs(late), []);
  assert.deepEqual(armed(late, "silence"), [3030]);
});
