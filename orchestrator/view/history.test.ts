import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { History, type Reader } from "./history.ts";
import type { Opening, StreamRecord, Struck, Writes } from "./record.ts";

const plan = { kind: "plan" } as Opening;
const writes = (at: number): Writes => ({
  kind: "writes",
  at,
  site: at % 2 === 0 ? "a" : "b",
  ok: 1,
  failed: 0,
  unknown: 0,
  sumMs: 2,
  maxMs: at,
});
const fault = (at: number): Struck => ({
  kind: "fault",
  at,
  fault: "heal",
  servers: [],
  byHand: false,
  floors: [],
});

class Book implements Reader {
  readonly told: StreamRecord[] = [];
  isOpen = true;

  hasRoom(): boolean {
    return this.isOpen;
  }

  take(records: readonly StreamRecord[]): void {
    this.told.push(...records);
  }

  get ok(): number {
    return this.told.reduce((sum, record) => sum + (record.kind === "writes" ? record.ok : 0), 0);
  }

  get faults(): number {
    return this.told.filter(({ kind }) => kind === "fault").length;
  }
}

function filled(count: number): History {
  const history = new History();
  history.add(plan);
  for (let at = 0; at < count; at++) history.add(at % 100 === 99 ? fault(at) : writes(at));
  return history;
}

suite("the history of a trial that runs", () => {
  test("who comes late is told the whole, in order", () => {
    const history = filled(10_000);
    const book = new Book();
    history.join(book);
    history.pump();
    assert.equal(book.told.length, 10_001);
    assert.equal(book.told[0], plan);
    assert.ok(history.isTold);
  });

  test("who does not read for long is told roughly then: all that happened, and right sums", () => {
    const history = filled(0);
    const [quick, slow] = [new Book(), new Book()];
    history.join(quick);
    history.join(slow);
    slow.isOpen = false;
    for (let at = 0; at < 10_000; at++) {
      history.add(at % 100 === 99 ? fault(at) : writes(at));
      history.pump();
    }
    assert.equal(quick.told.length, 10_001);
    assert.equal(slow.told.length, 0);
    assert.ok(!history.isTold);
    slow.isOpen = true;
    history.pump();
    assert.ok(slow.told.length < 3_000, `${slow.told.length} records`);
    assert.deepEqual([slow.ok, slow.faults], [quick.ok, quick.faults]);
  });

  test("another plan begins another trial for everybody", () => {
    const history = filled(10);
    const book = new Book();
    history.join(book);
    history.pump();
    history.add({ ...plan });
    history.add(writes(0));
    history.pump();
    assert.deepEqual(
      book.told.slice(-2).map(({ kind }) => kind),
      ["plan", "writes"],
    );
    assert.equal(history.length, 2);
  });

  test("what is remembered is bounded, and still adds up", () => {
    const history = filled(450_000);
    assert.ok(history.length <= 200_000, `${history.length} records`);
    const book = new Book();
    history.join(book);
    history.pump();
    assert.deepEqual([book.ok, book.faults], [445_500, 4_500]);
  });

  test("who has gone is told no more", () => {
    const history = filled(1);
    const book = new Book();
    const leave = history.join(book);
    leave();
    history.pump();
    assert.equal(book.told.length, 0);
  });
});
