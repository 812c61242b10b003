import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { fieldsOf, Message } from "./protobuf.ts";

const hex = (message: Message): string => message.finish().toString("hex");

test("numbers, bytes and messages stand there as Protocol Buffers' own guide shows them", () => {
  assert.equal(hex(new Message().number(1, 150)), "089601");
  assert.equal(hex(new Message().bytes(2, Buffer.from("testing"))), "120774657374696e67");
  assert.equal(hex(new Message().message(3, new Message().number(1, 150))), "1a03089601");
});

test("what says nothing takes no room, but that a message is there is something", () => {
  const empty = new Message().number(1, 0).flag(2, false).bytes(3, new Uint8Array(0));
  assert.equal(hex(empty), "");
  assert.equal(hex(new Message().message(4, empty)), "2200");
});

test("whatever was written is read again", () => {
  const anyField = fc.tuple(fc.integer({ min: 1, max: 2047 }), fc.bigInt(1n, 2n ** 64n - 1n));
  fc.assert(
    fc.property(fc.array(anyField), fc.uint8Array({ minLength: 1, maxLength: 400 }), (numbers, bytes) => {
      const message = new Message();
      for (const [field, value] of numbers) message.number(field, value);
      const read = [...fieldsOf(message.bytes(9, bytes).finish())];
      assert.deepEqual(
        read.slice(0, -1).map(({ number, value }) => [number, value]),
        numbers,
      );
      assert.deepEqual(Buffer.from(read.at(-1)?.bytes ?? []), Buffer.from(bytes));
    }),
  );
});

test("a message that was cut off is none", () => {
  const message = new Message().number(1, 300).bytes(2, Buffer.from("abc")).finish();
  assert.throws(() => [...fieldsOf(message.subarray(0, -1))], /ends behind/);
  assert.throws(() => [...fieldsOf(message.subarray(0, 2))], /no number ends/);
});

test("fields of fixed length are passed over", () => {
  const message = Buffer.concat([
    Buffer.from("09", "hex"),
    Buffer.alloc(8),
    Buffer.from("2d", "hex"),
    Buffer.alloc(4),
  ]);
  assert.deepEqual([...fieldsOf(Buffer.concat([message, new Message().number(7, 1).finish()]))].length, 1);
});
