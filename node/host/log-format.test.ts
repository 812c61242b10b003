import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { serverId } from "../core/identity.ts";
import type { LogRecord } from "../core/record.ts";
import type { TimeOfDay } from "../core/time.ts";
import { epoch, zxid } from "../core/zxid.ts";
import { encodeEntries, readLog } from "./log-format.ts";

const anEpoch = fc.integer({ min: 0, max: 5 }).map(epoch);
const aZxid = fc.tuple(anEpoch, fc.integer({ min: 0, max: 9 })).map(([e, n]) => zxid(e, n));
const bytes = fc.uint8Array({ maxLength: 40 });
const server = fc.integer({ min: 1, max: 255 }).map(serverId);

const record: fc.Arbitrary<LogRecord> = fc.oneof(
  fc.record({
    kind: fc.constant("transaction" as const),
    transaction: fc.record({
      zxid: aZxid,
      time: fc.maxSafeNat().map((ms) => ms as TimeOfDay),
      ticket: fc.record({ origin: server, life: fc.nat(), sequence: fc.nat() }),
      payload: bytes,
      imaged: fc.constant(false),
    }),
  }),
  fc.record({ kind: fc.constant("truncate" as const), to: aZxid }),
  fc.record({ kind: fc.constant("promise" as const), epoch: anEpoch, leader: server }),
  fc.record({ kind: fc.constant("epoch" as const), epoch: anEpoch }),
  fc.record({ kind: fc.constant("founder" as const) }),
  fc.record({
    kind: fc.constant("snapshot" as const),
    zxid: aZxid,
    replaces: fc.constantFrom("prefix" as const, "all" as const),
    index: fc.nat(),
    last: fc.boolean(),
    bytes,
  }),
);
const log = fc.array(record, { minLength: 1, maxLength: 5 });

const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === "imaged" ? null : inner instanceof Uint8Array ? [...inner] : inner,
    ),
  );

/** Where each entry begins, and where the last one ends. */
function boundaries(records: readonly LogRecord[]): number[] {
  const ends = [0];
  for (const one of records) ends.push((ends.at(-1) ?? 0) + encodeEntries([one]).length);
  return ends;
}

test("a log reads back as it was written", () => {
  fc.assert(
    fc.property(log, (records) => {
      const stored = encodeEntries(records);
      const reading = readLog(stored);
      deepEqual(bare(reading.records), bare(records));
      deepEqual(reading.end, { kind: "whole", offset: stored.length });
    }),
  );
});

test("a log that ends inside an entry is torn there, and whole before", () => {
  fc.assert(
    fc.property(log, (records) => {
      const stored = encodeEntries(records);
      const ends = boundaries(records);
      for (let length = 0; length <= stored.length; length++) {
        const whole = ends.filter((end) => end > 0 && end <= length).length;
        const { records: found, end } = readLog(stored.subarray(0, length));
        equal(found.length, whole);
        equal(end.offset, ends[whole]);
        equal(end.kind, length === ends[whole] ? "whole" : "torn");
      }
    }),
  );
});

test("a changed byte of the last entry is a torn tail; of any other, damage where that entry begins", () => {
  fc.assert(
    fc.property(log, fc.integer({ min: 1, max: 255 }), (records, flip) => {
      const stored = encodeEntries(records);
      const ends = boundaries(records);
      for (let at = 0; at < stored.length; at++) {
        const changed = stored.slice();
        changed[at] = (changed[at] ?? 0) ^ flip;
        const hit = ends.findLastIndex((begin) => begin <= at);
        const { records: found, end } = readLog(changed);
        equal(found.length, hit);
        equal(end.offset, ends[hit]);
        equal(end.kind, hit === records.length - 1 ? "torn" : "damaged");
      }
    }),
  );
});

test("a tail of zeros, as file systems leave it, is torn", () => {
  const stored = encodeEntries([{ kind: "epoch", epoch: epoch(1) }]);
  const padded = new Uint8Array(stored.length + 100);
  padded.set(stored);
  deepEqual(readLog(padded).end, { kind: "torn", offset: stored.length, reason: "an entry of no bytes" });
});

test("noise is never read as records", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => equal(readLog(noise).records.length, 0)),
  );
});
