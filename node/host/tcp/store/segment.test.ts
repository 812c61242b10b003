// lane: works, 1 s
// A segment byte by byte: what is read of it, and how its end is told from a loss.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  BATCH_HEAD,
  decodeSegmentHead,
  encodeSegmentHead,
  PAGE,
  pageBehind,
  readSegment,
  SEGMENT_HEAD,
  sealBatch,
  segmentName,
  segmentNumber,
  type SoundBatch,
} from "./segment.ts";

const SALT = 0xdead_beef;
const HEAD = { number: 7, salt: SALT, page: PAGE };

/** A batch of these entries, sealed. */
function batch(first: number, entries: readonly string[], salt = SALT): Buffer {
  const body = entries.map((text) => {
    const entry = Buffer.alloc(4 + text.length);
    entry.writeUInt32BE(text.length, 0);
    entry.write(text, 4, "latin1");
    return entry;
  });
  const bytes = Buffer.concat([Buffer.alloc(BATCH_HEAD), ...body]);
  sealBatch(bytes, first, salt);
  return bytes;
}

interface Placed {
  readonly page: number;
  readonly bytes: Buffer;
}
const at = (page: number, bytes: Buffer): Placed => ({ page, bytes });

/** A segment of so many pages with batches at these. */
function segment(pages: number, ...batches: readonly Placed[]): Buffer {
  const bytes = Buffer.alloc(pages * PAGE);
  bytes.set(encodeSegmentHead(HEAD).subarray(0, SEGMENT_HEAD));
  for (const { page, bytes: one } of batches) bytes.set(one, page * PAGE);
  return bytes;
}

type Places = Parameters<typeof readSegment>[2];

/** The batches as `first: entries`, and the end. */
function read(bytes: Uint8Array, places: Partial<Places> = {}, page = PAGE): string[] {
  const told: string[] = [];
  const take = ({ first, entries }: SoundBatch): void => {
    const texts = entries.map((entry) => Buffer.from(entry).toString("latin1"));
    told.push(`${first}: ${texts.join(" ")}`);
  };
  const { offset, tail } = readSegment(
    bytes,
    { ...HEAD, page },
    { expected: 0, repeated: null, ...places },
    take,
  );
  return [...told, `${tail} at ${offset / page}`];
}

suite("the head of a segment", () => {
  test("comes back as it was, and begins with its name for this format", () => {
    const bytes = encodeSegmentHead({ number: 3, salt: 0xffff_fffe });
    assert.deepEqual(decodeSegmentHead(bytes), { number: 3, salt: 0xffff_fffe, page: PAGE });
    assert.equal(Buffer.from(bytes).toString("latin1", 0, 8), "poleLOG2");
    assert.equal(bytes.length, PAGE + BATCH_HEAD, "with the end of a segment without batches");
    assert.ok(bytes.subarray(SEGMENT_HEAD).every((byte) => byte === 0));
  });

  test("of another format, cut off, or with a wrong bit is none", () => {
    const bytes = encodeSegmentHead({ number: 3, salt: 5 });
    assert.equal(decodeSegmentHead(bytes.subarray(0, SEGMENT_HEAD - 1)), null);
    assert.deepEqual(decodeSegmentHead(bytes.subarray(0, SEGMENT_HEAD))?.number, 3);
    for (let place = 0; place < SEGMENT_HEAD; place++) {
      const damaged = bytes.slice();
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      assert.equal(decodeSegmentHead(damaged), null, `byte ${place}`);
    }
  });

  test("names and numbers go together", () => {
    assert.equal(segmentName(42), "log.0000000042");
    const names = ["log.0000000042", "log.42", "xlog.0000000042", "log.0000000042.spare", "log.00000000420"];
    assert.deepEqual(names.map(segmentNumber), [42, null, null, null, null]);
  });

  test("the page behind what ends at an offset", () => {
    const places = [0, 1, PAGE - 1, PAGE, PAGE + 1];
    assert.deepEqual(
      places.map((offset) => pageBehind(offset) / PAGE),
      [0, 1, 1, 1, 2],
    );
    assert.equal(pageBehind(17, 1), 17);
    assert.equal(PAGE, 4096, "as it stands in every folder");
  });
});

suite("the batches of a segment", () => {
  const [one, two, three] = [batch(0, ["a", "b"]), batch(2, ["c"]), batch(3, ["", "d", ""])];

  test("are read in order, each from a page, up to the zeros behind them", () => {
    const bytes = segment(8, at(1, one), at(2, two), at(3, three));
    assert.deepEqual(read(bytes), ["0: a b", "2: c", "3:  d ", "end at 4"]);
    assert.deepEqual(read(segment(3)), ["end at 1"]);
  });

  test("may be longer than a page, and may fill the segment to its last byte", () => {
    const long = batch(2, ["x".repeat(PAGE + 100)]);
    assert.equal(read(segment(8, at(1, one), at(2, long), at(4, batch(3, ["e"])))).at(-1), "end at 5");
    const whole = batch(0, ["y".repeat(PAGE - BATCH_HEAD - 4)]);
    assert.equal(read(segment(2, at(1, whole))).at(-1), "end at 2");
    assert.equal(read(segment(2, at(1, whole)).subarray(0, 2 * PAGE - 1)).at(-1), "torn at 1");
  });

  test("have numbers beyond what 32 bits hold", () => {
    const far = 5 * 2 ** 32 + 0xffff_ffff;
    const bytes = segment(4, at(1, batch(far, ["a"])), at(2, batch(far + 1, ["b"])));
    assert.deepEqual(read(bytes, { expected: far }), [`${far}: a`, `${far + 1}: b`, "end at 3"]);
  });

  test("begin with what is expected, with what is said once more, or anywhere where neither is known", () => {
    const bytes = segment(4, at(1, batch(5, ["e"])), at(2, batch(6, ["f"])));
    const all = ["5: e", "6: f", "end at 3"];
    assert.deepEqual(read(bytes, { expected: 5 }), all);
    assert.deepEqual(read(bytes, { expected: 8, repeated: 5 }), all);
    assert.deepEqual(read(bytes, { expected: null }), all);
    assert.deepEqual(read(bytes, { expected: 8, repeated: 4 }), ["torn at 1"], "both are from before");
    assert.deepEqual(read(bytes, { expected: 4 }), ["damaged at 1"], "one is missing");
    const again = segment(4, at(1, batch(5, ["e"])), at(2, batch(5, ["e"])));
    assert.deepEqual(read(again, { expected: 8, repeated: 5 }), ["5: e", "torn at 2"], "only the first is");
  });

  test("whose entries do not fill it to its end, or are none, are no batches", () => {
    const short = batch(0, ["abc"]);
    short.writeUInt32BE(9, BATCH_HEAD);
    sealBatch(short, 0, SALT);
    assert.deepEqual(read(segment(3, at(1, short))), ["torn at 1"]);
    const stump = Buffer.concat([batch(0, ["a"]), Buffer.from([0, 0])]);
    sealBatch(stump, 0, SALT);
    assert.deepEqual(read(segment(3, at(1, stump))), ["torn at 1"]);
    assert.deepEqual(read(segment(3, at(1, batch(0, [])))), ["torn at 1"]);
  });

  test("of another salt, or with a wrong bit anywhere, are no batches", () => {
    assert.deepEqual(read(segment(3, at(1, batch(0, ["a"], 1)))), ["torn at 1"]);
    for (let place = 0; place < one.length; place++) {
      const bytes = segment(3, at(1, one));
      bytes[PAGE + place] = (bytes[PAGE + place] ?? 0) ^ 0x10;
      assert.equal(read(bytes).length, 1, `byte ${place}`);
    }
  });
});

suite("the end of a segment", () => {
  const log = (count: number): Placed[] =>
    Array.from({ length: count }, (_, index) => at(index + 1, batch(index, [`entry ${index}`])));
  const without = (page: number, from = 0, to = PAGE): Buffer => {
    const bytes = segment(60, ...log(4));
    bytes.fill(0, page * PAGE + from, page * PAGE + to);
    return bytes;
  };

  test("is torn where the last batch is", () => {
    const half = without(4, BATCH_HEAD + 4);
    assert.deepEqual(read(half).at(-1), "torn at 4");
    assert.equal(read(half).length, 4, "those before are sound");
  });

  test("is an end where nothing of the last batch's head arrived", () => {
    assert.equal(read(without(4, 0, BATCH_HEAD)).at(-1), "end at 4");
    assert.equal(read(without(4, 0, BATCH_HEAD - 1)).at(-1), "torn at 4");
  });

  test("is no end where a write before the last one is lost: that was promised", () => {
    assert.equal(read(without(3)).at(-1), "damaged at 3");
    assert.equal(read(without(2)).at(-1), "damaged at 2");
    assert.equal(read(without(2, 0, 2 * PAGE)).at(-1), "damaged at 2", "two of them");
    assert.equal(read(without(3, 20, 21)).at(-1), "damaged at 3", "a byte of it");
  });

  test("is no end however far behind the log goes on", () => {
    for (const page of [2, 3, 16, 17, 18, 33, 34, 58]) {
      const bytes = segment(60, at(1, batch(0, ["a"])), at(page, batch(2, ["c"])));
      assert.equal(read(bytes).at(-1), "damaged at 2", `page ${page}`);
    }
  });

  test("is no end where the batch behind the loss is large, so that its first byte is none of zeros", () => {
    const large = batch(9, ["z".repeat(2 ** 24 + 5)]);
    const bytes = segment(4105, at(1, batch(0, ["a"])), at(4, large));
    assert.equal(read(bytes).at(-1), "damaged at 2");
  });

  test("an older segment's batches behind it are of another salt, or of numbers that are past", () => {
    const older = segment(9, at(1, batch(0, ["a"])), at(3, batch(7, ["old"], 12)), at(4, batch(0, ["a"])));
    assert.equal(read(older).at(-1), "end at 2");
    const next = segment(9, at(1, batch(0, ["a"])), at(3, batch(1, ["as expected, but behind a gap"])));
    assert.equal(read(next).at(-1), "end at 2", "a write that was under way, and began one page late");
    const chance = segment(9, at(1, batch(0, ["a"])), at(3, batch(1 + 2 ** 30, ["by chance"])));
    assert.equal(read(chance).at(-1), "end at 2", "no segment has so many entries");
    const far = segment(9, at(1, batch(0, ["a"])), at(3, batch(2 ** 30, ["far"])));
    assert.equal(read(far).at(-1), "damaged at 2");
  });

  test("where pages are not kept apart, a later batch may begin at any byte", () => {
    const [one, two, three] = [batch(0, ["a"]), batch(1, ["b"]), batch(2, ["c".repeat(300)])];
    const bytes = Buffer.alloc(4 * PAGE);
    bytes.set(Buffer.concat([one, two, three]), SEGMENT_HEAD);
    const sound = SEGMENT_HEAD + one.length;
    assert.deepEqual(read(bytes, {}, 1).slice(0, 2), ["0: a", "1: b"]);
    assert.equal(read(bytes, {}, 1).at(-1), `end at ${sound + two.length + three.length}`);
    bytes.fill(0, sound, sound + two.length);
    assert.equal(read(bytes, {}, 1).at(-1), `damaged at ${sound}`);
  });
});
