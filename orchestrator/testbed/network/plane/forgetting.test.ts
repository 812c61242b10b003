import assert from "node:assert/strict";
import { test } from "node:test";
import { Forgetting, LARGE, PATIENCE } from "./forgetting.ts";

/** An IPv4 packet of TCP, or of another protocol. */
function packet(from: number, to: number, payload: number, protocol = 6): Uint8Array {
  const bytes = new Uint8Array(24 + 32 + payload);
  bytes[0] = 0x46;
  bytes[9] = protocol;
  new DataView(bytes.buffer).setUint16(24, from);
  new DataView(bytes.buffer).setUint16(26, to);
  bytes[24 + 12] = 8 << 4;
  return bytes;
}

test("the connection that carries what is large is forgotten, both ways, and no other", () => {
  const forgetting = new Forgetting();
  forgetting.forget(0, 1, "bulk", 0);
  assert.equal(forgetting.swallows(0, 1, packet(50_000, 2888, LARGE - 1), 10), false, "small");
  assert.equal(forgetting.swallows(0, 2, packet(50_000, 2888, LARGE), 10), false, "to somebody else");
  assert.equal(forgetting.swallows(1, 0, packet(2888, 50_001, LARGE), 10), true, "large");
  assert.equal(forgetting.swallows(0, 1, packet(50_001, 2888, 0), 20), true, "its answer");
  assert.equal(forgetting.swallows(1, 0, packet(2888, 50_001, 1), 9 * PATIENCE), true, "for ever");
  assert.equal(forgetting.swallows(0, 1, packet(50_000, 2888, 2 * LARGE), 30), false, "the other one passes");
  assert.equal(
    forgetting.swallows(1, 0, packet(50_001, 2888, 9), 40),
    false,
    "the ports the other way round",
  );
});

test("or whichever speaks next; what only acknowledges says nothing", () => {
  const forgetting = new Forgetting();
  forgetting.forget(3, 2, "any", 0);
  assert.equal(forgetting.swallows(2, 3, packet(1, 2, 0), 1), false, "says nothing");
  assert.equal(forgetting.swallows(2, 3, packet(1, 2, 5, 17), 1), false, "is no TCP");
  assert.equal(forgetting.swallows(2, 3, packet(1, 2, 1), 1), true, "speaks");
  assert.equal(forgetting.swallows(3, 2, packet(2, 1, 1), 1), true, "and is not heard any more");
  assert.equal(forgetting.swallows(3, 2, packet(4, 3, 1), 1), false, "one is forgotten, not two");
});

test("who says nothing for some seconds is not forgotten later", () => {
  const forgetting = new Forgetting();
  forgetting.forget(0, 1, "any", 1000);
  assert.equal(forgetting.swallows(0, 1, packet(1, 2, 1), 1001 + PATIENCE), false);
  assert.equal(forgetting.swallows(0, 1, packet(1, 2, 1), 1002), false);
});
