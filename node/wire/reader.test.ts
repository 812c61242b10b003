// lane: works, 1 s
// A reader of what is cut off, too long, or impossible: zeros, and one failure, the first.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Reader } from "./reader.ts";

const bytes = (...of: number[]): Uint8Array => Uint8Array.from(of);

suite("a reader", () => {
  test("reads from its offset to its end, and stands where it has read to", () => {
    const reader = new Reader(bytes(9, 1, 2, 3, 0, 0, 0, 7, 9), 1, 8);
    assert.deepEqual([reader.left, reader.offset], [7, 1]);
    assert.deepEqual([reader.u8(), reader.u16(), reader.u32()], [1, 0x0203, 7]);
    assert.deepEqual([reader.left, reader.offset, reader.failure], [0, 8, null]);
    assert.ok(reader.finish());
  });

  test("of nothing gives zeros, and says where it ended first", () => {
    const reads = [
      (reader: Reader) => reader.u8(),
      (reader: Reader) => reader.u16(),
      (reader: Reader) => reader.u32(),
      (reader: Reader) => reader.u64(),
    ];
    for (const [index, read] of reads.entries()) {
      const short = new Reader(new Uint8Array(2 ** index).fill(0xff), 1);
      assert.equal(read(short), 0, `${2 ** index} bytes less one`);
      assert.match(short.failure ?? "", /, at byte 1$/);
      assert.equal(short.left, 0);
      const first = short.failure;
      assert.equal(read(short), 0);
      assert.equal(short.failure, first);
      assert.ok(!short.finish());
    }
  });

  test("numbers are below 2^53", () => {
    const largest = new Reader(bytes(0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff));
    assert.equal(largest.u64(), Number.MAX_SAFE_INTEGER);
    assert.equal(largest.failure, null);
    const beyond = new Reader(bytes(0, 0x20, 0, 0, 0, 0, 0, 0));
    assert.equal(beyond.u64(), 0);
    assert.match(beyond.failure ?? "", /^a number beyond 2\^53/);
  });

  test("what is too many is counted", () => {
    const reader = new Reader(bytes(1, 2, 3));
    reader.u8();
    assert.ok(!reader.finish());
    assert.equal(reader.failure, "2 bytes too many, at byte 1");
  });
});
