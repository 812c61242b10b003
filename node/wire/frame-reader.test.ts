import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader, SIGN_OF_LIFE } from "./frame-reader.ts";

const frame = (body: Uint8Array): Uint8Array =>
  Uint8Array.of(0, 0, body.length >> 8, body.length & 0xff, ...body);
const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 });

function readAll(reader: FrameReader, pieces: readonly Uint8Array[]): number[][] {
  const frames: number[][] = [];
  for (const piece of pieces) {
    reader.feed(piece);
    for (let next = reader.next(); next !== null; next = reader.next()) frames.push([...next]);
  }
  return frames;
}

const stream = (frames: readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(frames.flatMap((bytes) => [...bytes]));

test("a stream cut in two at any place gives the same frames", () => {
  fc.assert(
    fc.property(bodies, (some) => {
      const frames = some.map(frame);
      const bytes = stream(frames);
      for (let cut = 0; cut <= bytes.length; cut++) {
        const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
        deepEqual(
          readAll(new FrameReader(), pieces),
          frames.map((one) => [...one]),
        );
      }
    }),
  );
});

test("a stream that comes byte by byte, or in pieces of any size, gives the same frames", () => {
  fc.assert(
    fc.property(bodies, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (some, sizes) => {
      const frames = some.map(frame);
      const bytes = stream(frames);
      const pieces: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      deepEqual(
        readAll(new FrameReader(), pieces),
        frames.map((one) => [...one]),
      );
    }),
  );
});

test("a frame within one piece is not copied, and is no Buffer", () => {
  const piece = Buffer.from(frame(Uint8Array.of(1, 2, 3)));
  const reader = new FrameReader();
  reader.feed(piece);
  const next = reader.next();
  equal(next?.buffer, piece.buffer);
  equal(next?.constructor, Uint8Array);
});

test("a length beyond the limit is refused when it is announced, after the frames before it", () => {
  const reader = new FrameReader(100);
  const good = frame(new Uint8Array(100).fill(7));
  deepEqual(readAll(reader, [good, Uint8Array.of(0, 0, 0)]), [[...good]]);
  equal(reader.refused, null);
  deepEqual(readAll(reader, [Uint8Array.of(101)]), []);
  equal(reader.refused, "a frame of 101 bytes, where 100 are the most");
  deepEqual(readAll(reader, [good]), [], "what follows is not read");
});

test("a frame of no bytes is passed over, wherever it was cut", () => {
  const good = frame(Uint8Array.of(1, 2, 3));
  const bytes = Buffer.concat([SIGN_OF_LIFE, SIGN_OF_LIFE, good, SIGN_OF_LIFE, good, SIGN_OF_LIFE]);
  for (let at = 0; at <= bytes.length; at++) {
    const reader = new FrameReader();
    deepEqual(readAll(reader, [bytes.subarray(0, at), bytes.subarray(at)]), [[...good], [...good]]);
    equal(reader.refused, null);
  }
});
