import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Reader } from "./reader.ts";
import { Writer } from "./writer.ts";

test("numbers are big-endian", () => {
  const bytes = new Writer()
    .u8(1)
    .u16(0x0203)
    .u32(0x04050607)
    .u64(2 ** 53 - 1)
    .f64(-2)
    .flag(true)
    .copy();
  equal(Buffer.from(bytes).toString("hex"), "01020304050607001fffffffffffffc00000000000000001");
});

test("every field reads back what was written", () => {
  const anything = fc.record({
    u8: fc.integer({ min: 0, max: 0xff }),
    u16: fc.integer({ min: 0, max: 0xffff }),
    u32: fc.integer({ min: 0, max: 0xffffffff }),
    u64: fc.maxSafeNat(),
    f64: fc.double({ noNaN: true, noDefaultInfinity: true }),
    flag: fc.boolean(),
    string: fc.string({ unit: "grapheme" }),
  });
  fc.assert(
    fc.property(anything, ({ u8, u16, u32, u64, f64, flag, string }) => {
      const bytes = new Writer(1).u8(u8).u16(u16).u32(u32).u64(u64).f64(f64).flag(flag).string(string).copy();
      const reader = new Reader(bytes);
      deepEqual(
        [reader.u8(), reader.u16(), reader.u32(), reader.u64(), reader.f64(), reader.flag(), reader.string()],
        [u8, u16, u32, u64, f64, flag, string],
      );
      equal(reader.finish(), true);
    }),
  );
});

test("a number that does not fit is a bug, and loud", () => {
  const writer = new Writer();
  throws(() => writer.u8(256), /256 does not fit a u8/);
  throws(() => writer.u8(-1), /does not fit/);
  throws(() => writer.u16(0x10000), /does not fit/);
  throws(() => writer.u32(1.5), /1.5 does not fit a u32/);
  throws(() => writer.u64(2 ** 53), /does not fit a u64/);
});

test("the first failure of a reader stays, and everything after it reads as nothing", () => {
  const reader = new Reader(Uint8Array.of(0, 7));
  equal(reader.server(), 0);
  equal(reader.failure, "0 is no server id, at byte 1");
  equal(reader.u8(), 0);
  equal(reader.rest().length, 0);
  equal(reader.finish(), false);
  equal(reader.failure, "0 is no server id, at byte 1");
});

test("a string's announced length is believed only as far as there are bytes", () => {
  const reader = new Reader(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 65));
  equal(reader.string(), "");
  equal(reader.failure, "4294967295 elements in 1 bytes, at byte 4");
});
