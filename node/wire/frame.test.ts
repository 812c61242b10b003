import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BroadcastMessage } from "../broadcast/message.ts";
import { serverId } from "../core/identity.ts";
import { FRAME_LIMIT, LARGEST_TOLD } from "../core/limits.ts";
import type { Duration, TimeOfDay } from "../core/time.ts";
import type { Transaction } from "../core/transaction.ts";
import { epoch, MAX_COUNTER, MAX_EPOCH, zxid } from "../core/zxid.ts";
import type { Ballot } from "../election/ballot.ts";
import type { HeartbeatMessage } from "../oracle/heartbeat-message.ts";
import type { Report } from "../oracle/report.ts";
import type { PeerMessage } from "../replica/message.ts";
import { decodePeerMessage, encodePeerMessage } from "./frame.ts";
import { FrameReader } from "./frame-reader.ts";

const whole = fc.maxSafeNat();
const server = fc.integer({ min: 1, max: 255 }).map(serverId);
const anEpoch = fc.integer({ min: 0, max: MAX_EPOCH }).map(epoch);
const aZxid = fc.tuple(anEpoch, fc.integer({ min: 0, max: MAX_COUNTER })).map(([e, n]) => zxid(e, n));
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const bytes = fc.uint8Array({ maxLength: 50 });
const ticket = fc.record({ origin: server, life: u32, sequence: whole });
const transaction: fc.Arbitrary<Transaction> = fc.record({
  zxid: aZxid,
  time: whole.map((ms) => ms as TimeOfDay),
  ticket,
  payload: bytes,
  imaged: fc.constant(false),
});

const kind = <K extends string>(name: K) => ({ kind: fc.constant(name) });

const heartbeat: fc.Arbitrary<HeartbeatMessage> = fc.oneof(
  fc.record({ ...kind("ping"), sequence: whole, requestsPerSecond: finite.map(Math.abs) }),
  fc.record({ ...kind("pong"), sequence: whole }),
  fc.record({ ...kind("report"), report: fc.constant(null).chain(() => aReport) }),
);

const amount = finite.map(Math.abs);
const aDuration = whole.map((count) => count as Duration);
const aReport: fc.Arbitrary<Report> = fc.record({
  roundTrips: fc.array(fc.tuple(server, aDuration), { maxLength: 5 }).map((pairs) => new Map(pairs)),
  lastZxid: aZxid,
  base: aZxid,
  stateBytes: amount,
  transactionBytes: amount,
  offer: fc.record({ openPerSecond: amount, clients: amount, think: aDuration }),
  writeLatency: aDuration,
  awake: aDuration,
});

const election: fc.Arbitrary<Ballot> = fc.record({
  election: fc.string({ unit: "grapheme", maxLength: 12 }),
  body: bytes,
});

const aPromise = fc.oneof(fc.constant(null), fc.record({ epoch: anEpoch, leader: server }));

const broadcast: { readonly [K in BroadcastMessage["kind"]]: fc.Arbitrary<BroadcastMessage> } = {
  join: fc.record({
    ...kind("join"),
    attempt: whole,
    promise: aPromise,
  }),
  refuse: fc.record({ ...kind("refuse"), attempt: whole }),
  leave: fc.record(kind("leave")),
  handOver: fc.record({ ...kind("handOver"), to: server }),
  newEpoch: fc.record({ ...kind("newEpoch"), attempt: whole, epoch: anEpoch }),
  ackEpoch: fc.record({
    ...kind("ackEpoch"),
    epoch: anEpoch,
    currentEpoch: anEpoch,
    lastZxid: aZxid,
    member: fc.boolean(),
  }),
  recall: fc.record(kind("recall")),
  recalled: fc.record({ ...kind("recalled"), epoch: anEpoch, promise: aPromise }),
  pull: fc.record({ ...kind("pull"), epoch: anEpoch, lastZxid: aZxid }),
  pulled: fc.record({ ...kind("pulled"), lastZxid: aZxid }),
  truncate: fc.record({ ...kind("truncate"), to: aZxid }),
  snapshot: fc.record({ ...kind("snapshot"), zxid: aZxid, index: u32, last: fc.boolean(), bytes }),
  snapshotTaken: fc.record({ ...kind("snapshotTaken"), index: u32 }),
  newLeader: fc.record({ ...kind("newLeader"), epoch: anEpoch, lastZxid: aZxid }),
  upToDate: fc.record({ ...kind("upToDate"), epoch: anEpoch, committed: aZxid }),
  wait: fc.record(kind("wait")),
  propose: fc.record({ ...kind("propose"), transactions: fc.array(transaction, { maxLength: 5 }) }),
  ack: fc.record({ ...kind("ack"), epoch: anEpoch, zxid: aZxid }),
  commit: fc.record({ ...kind("commit"), epoch: anEpoch, zxid: aZxid }),
  forward: fc.record({ ...kind("forward"), ticket, payload: bytes }),
  sync: fc.record({ ...kind("sync"), sequence: whole }),
  synced: fc.record({ ...kind("synced"), sequence: whole, committed: aZxid }),
  confirm: fc.record({ ...kind("confirm"), epoch: anEpoch, sequence: whole }),
  confirmed: fc.record({ ...kind("confirmed"), epoch: anEpoch, sequence: whole }),
};

const anything: fc.Arbitrary<PeerMessage> = fc.oneof(
  heartbeat.map((message) => ({ part: "heartbeat" as const, message })),
  election.map((message) => ({ part: "election" as const, message })),
  fc.oneof(...Object.values(broadcast)).map((message) => ({ part: "broadcast" as const, message })),
);

/** What the wire keeps: everything but the memory of how it was encoded. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === "imaged"
        ? null
        : inner instanceof Uint8Array
          ? [...inner]
          : Object.is(inner, -0)
            ? "-0"
            : inner,
    ),
  );

function roundTrip(message: PeerMessage): void {
  const decoded = decodePeerMessage(encodePeerMessage(message));
  ok(decoded.ok, decoded.ok ? "" : decoded.reason);
  deepEqual(bare(decoded.value), bare(message));
}

test("heartbeats come back as they were", () => {
  fc.assert(fc.property(heartbeat, (message) => roundTrip({ part: "heartbeat", message })));
});

test("elections come back as they were", () => {
  fc.assert(fc.property(election, (message) => roundTrip({ part: "election", message })));
});

for (const [name, messages] of Object.entries(broadcast)) {
  test(`broadcast ${name} comes back as it was`, () => {
    fc.assert(fc.property(messages, (message) => roundTrip({ part: "broadcast", message })));
  });
}

test("a decoded transaction goes on as the bytes it came in", () => {
  fc.assert(
    fc.property(fc.array(transaction, { minLength: 1, maxLength: 4 }), (transactions) => {
      const message: PeerMessage = { part: "broadcast", message: { kind: "propose", transactions } };
      const first = encodePeerMessage(message);
      const decoded = decodePeerMessage(first);
      ok(decoded.ok && decoded.value.part === "broadcast" && decoded.value.message.kind === "propose");
      for (const { payload } of decoded.value.message.transactions) equal(payload.buffer, first.buffer);
      deepEqual(encodePeerMessage(decoded.value), first);
    }),
  );
});

test("a frame cut anywhere is refused", () => {
  fc.assert(
    fc.property(anything, (message) => {
      const frame = encodePeerMessage(message);
      for (let length = 0; length < frame.length; length++) {
        const decoded = decodePeerMessage(frame.subarray(0, length));
        ok(!decoded.ok && decoded.reason.length > 0);
      }
    }),
  );
});

test("a body cut anywhere is refused or is another whole message, and so is one with a byte too many", () => {
  fc.assert(
    fc.property(anything, (message) => {
      const frame = encodePeerMessage(message);
      for (let length = 5; length <= frame.length + 1; length++) {
        const cut = new Uint8Array(length);
        cut.set(frame.subarray(0, length));
        cut[3] = length - 4;
        cut[2] = (length - 4) >>> 8;
        readsOrRefuses(cut);
      }
    }),
  );
});

test("a frame with any byte changed is refused with a reason, or is another valid message", () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 255 }), (message, flip) => {
      const frame = encodePeerMessage(message);
      for (let at = 0; at < frame.length; at++) {
        const changed = frame.slice();
        changed[at] = (changed[at] ?? 0) ^ flip;
        readsOrRefuses(changed);
      }
    }),
  );
});

test("noise of any kind is refused, or is a valid message", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 0, max: 0x40 }), (noise, type) => {
      readsOrRefuses(Uint8Array.of(0, 0, 0, noise.length + 1, type, ...noise));
    }),
    { numRuns: 2000 },
  );
});

/** Whatever is read must be of the protocol: it can be written again, and says the same. */
function readsOrRefuses(frame: Uint8Array): void {
  const decoded = decodePeerMessage(frame);
  if (decoded.ok) deepEqual(encodePeerMessage(decoded.value), frame);
  else ok(decoded.reason.length > 0);
}

const frameOf = (type: number, ...body: number[]): Uint8Array =>
  Uint8Array.of(0, 0, 0, body.length + 1, type, ...body);

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

const nonsense: Readonly<Record<string, [frame: Uint8Array, reason: RegExp]>> = {
  "an unknown type": [frameOf(0x7f), /^unknown message type 0x7f, at byte 5$/],
  "server 0": [frameOf(0x20, ...zeros(8), 1, ...zeros(5)), /^0 is no server id/],
  "an epoch of 22 bits": [frameOf(0x31, 0, 0x20, 0, 0, ...zeros(8)), /^epoch 2097152 is beyond/],
  "a zxid of 54 bits": [frameOf(0x26, 0, 0x20, 0, 0, ...zeros(4)), /beyond 2\^53/],
  "an infinite rate": [frameOf(0x01, ...zeros(8), 0x7f, 0xf0, ...zeros(6)), /Infinity is no finite number/],
  "an election's name cut short": [frameOf(0x12, 4, 0x70), /^4 bytes expected, 1 left/],
  "an election's name of other bytes": [frameOf(0x12, 1, 0xff), /^an election's name that is not UTF-8/],
  "a negative rate": [frameOf(0x01, ...zeros(8), 0xc0, 0x59, ...zeros(6)), /^-100 requests per second/],
  "one server twice in a report": [
    frameOf(0x03, 0, 0, 0, 2, 7, ...zeros(8), 7, ...zeros(80)),
    /^server 7 twice in one report/,
  ],
  "a count beyond the bytes": [frameOf(0x30, 0xff, 0xff, 0xff, 0xff), /^4294967295 elements in 0 bytes/],
  "a transaction too short": [
    frameOf(0x30, 0, 0, 0, 1, 0, 0, 0, 3, ...zeros(40)),
    /^a transaction of 3 bytes/,
  ],
  "a flag of 2": [frameOf(0x28, ...zeros(12), 2), /^2 is neither 0 nor 1/],
  "a byte too many": [frameOf(0x22, 0), /^1 bytes too many/],
  "a length that lies": [Uint8Array.of(0, 0, 0, 2, 0x22), /^a frame of 1 bytes that announces 2/],
};

for (const [what, [frame, reason]] of Object.entries(nonsense)) {
  test(`${what} is refused, and said`, () => {
    const decoded = decodePeerMessage(frame);
    ok(!decoded.ok);
    ok(reason.test(decoded.reason), decoded.reason);
  });
}

function proposal(payloadBytes: number): PeerMessage {
  const written = { origin: serverId(1), life: 1, sequence: 1 };
  const payload = new Uint8Array(payloadBytes);
  const place = { zxid: zxid(epoch(1), 1), time: 0 as TimeOfDay, ticket: written };
  const transactions = [{ ...place, payload, imaged: false }];
  return { part: "broadcast", message: { kind: "propose", transactions } };
}

test("what may be told fits a frame that is read, to the byte; of more no frame is made", () => {
  const reader = new FrameReader();
  reader.feed(encodePeerMessage(proposal(LARGEST_TOLD)));
  const frame = reader.next();
  ok(frame !== null && decodePeerMessage(frame).ok);
  equal(frame.length, 4 + FRAME_LIMIT);
  throws(() => encodePeerMessage(proposal(LARGEST_TOLD + 1)), /a frame of 16777217 bytes, which nobody/);
});

test("speed, for information", (context) => {
  const transactions = Array.from({ length: 20 }, (_, index): Transaction => {
    const written = { origin: serverId(1), life: 1, sequence: index };
    const payload = new Uint8Array(1000);
    return { zxid: zxid(epoch(1), index), time: 0 as TimeOfDay, ticket: written, payload, imaged: false };
  });
  const message: PeerMessage = { part: "broadcast", message: { kind: "propose", transactions } };
  const rounds = 2000;
  const began = performance.now();
  let frame = encodePeerMessage(message);
  for (let round = 1; round < rounds; round++) frame = encodePeerMessage(message);
  const encoded = performance.now();
  for (let round = 0; round < rounds; round++) ok(decodePeerMessage(frame).ok);
  const decoded = performance.now();
  const perTransaction = (ms: number): string => ((ms * 1e3) / rounds / transactions.length).toFixed(2);
  context.diagnostic(
    `1 kB transactions, twenty a frame: encode ${perTransaction(encoded - began)} us, ` +
      `decode ${perTransaction(decoded - encoded)} us each`,
  );
});
