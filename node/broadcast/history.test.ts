import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { ServerId } from "../core/identity.ts";
import type { TimeOfDay } from "../core/time.ts";
import type { Transaction } from "../core/transaction.ts";
import { type Epoch, type Zxid, ZERO, zxid } from "../core/zxid.ts";
import { History } from "./history.ts";

const OVERHEAD = 64;

const transaction = (at: Zxid, size = 1): Transaction => ({
  zxid: at,
  time: 0 as TimeOfDay,
  ticket: { origin: 1 as ServerId, life: 1, sequence: at },
  payload: new Uint8Array(size),
  imaged: false,
});

const z = (epoch: number, counter: number): Zxid => zxid(epoch as Epoch, counter);

/**
 * The obvious history: a list from the very beginning, of which the first `forgotten` may not be used any
 * more.
 */
class Naive {
  all: Transaction[] = [];
  forgotten = 0;
  /** What a snapshot replaced, or nothing. */
  origin: Zxid = ZERO;

  get kept(): Transaction[] {
    return this.all.slice(this.forgotten);
  }

  get base(): Zxid {
    return this.all[this.forgotten - 1]?.zxid ?? this.origin;
  }

  get last(): Zxid {
    return this.all.at(-1)?.zxid ?? this.origin;
  }

  get bytes(): number {
    return this.kept.reduce((sum, { payload }) => sum + payload.length + OVERHEAD, 0);
  }
}

const commands = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant("push"), n: fc.nat(600) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("trim"), n: fc.nat(2000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("truncate"), n: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset"), n: fc.nat(3) }) },
  ),
  { maxLength: 200, size: "max" },
);

test("a history answers like a list of all transactions, whatever is forgotten, cut or replaced", () => {
  fc.assert(
    fc.property(commands, (list) => {
      const history = new History(ZERO);
      const naive = new Naive();
      let epoch = 1;
      for (const { kind, n } of list) {
        epoch += n % 7 === 0 ? 1 : 0;
        change(history, naive, kind, n, epoch);
        compare(history, naive, n);
      }
    }),
    { numRuns: 150 },
  );
});

function change(history: History, naive: Naive, kind: string, n: number, epoch: number): void {
  switch (kind) {
    case "push": {
      const last = naive.last;
      const next = last >= z(epoch, 1) ? ((last + 1) as Zxid) : z(epoch, 1);
      // Many at once, so that the ring has to grow and to wrap around.
      for (let more = 0; more <= n % 40; more++) {
        const one = transaction((next + more) as Zxid, n);
        history.push(one);
        naive.all.push(one);
      }
      break;
    }
    case "trim": {
      const keep = history.start + (n % 97);
      history.trim(n, keep);
      for (let left = n % 97; left > 0 && naive.bytes > n && naive.kept.length > 0; left--) {
        naive.forgotten += 1;
      }
      break;
    }
    case "truncate": {
      const kept = naive.kept.slice(0, n % (naive.kept.length + 1));
      const to = kept.at(-1)?.zxid ?? naive.base;
      history.truncate(to);
      naive.all = naive.all.filter((one) => one.zxid <= to);
      break;
    }
    default: {
      const to = (naive.last + n) as Zxid;
      history.reset(to);
      naive.all = [];
      naive.forgotten = 0;
      naive.origin = to;
    }
  }
}

function compare(history: History, naive: Naive, n: number): void {
  const { kept } = naive;
  assert.equal(history.base, naive.base);
  assert.equal(history.last, naive.last);
  assert.equal(history.end - history.start, kept.length);
  assert.equal(history.bytes(history.start, history.end), naive.bytes);
  assert.deepEqual(history.slice(history.start, history.end), kept);
  const asked = kept[n % Math.max(1, kept.length)]?.zxid ?? naive.base;
  for (const near of [asked - 1, asked, asked + 1].filter((value) => value >= naive.base) as Zxid[]) {
    const place = kept.filter(({ zxid: at }) => at <= near).length;
    assert.equal(history.after(near), history.start + place);
    assert.equal(history.has(near), near === naive.base || kept.some(({ zxid: at }) => at === near));
    assert.equal(history.zxidBefore(history.after(near)), kept[place - 1]?.zxid ?? naive.base);
  }
}

test("a piece holds as much as it may, and at least one transaction", () => {
  const history = new History(
    ZERO,
    [1, 2, 3, 4].map((counter) => transaction(z(1, counter), 100 - OVERHEAD)),
  );
  assert.equal(history.pieceEnd(0, 4, 400), 4);
  assert.equal(history.pieceEnd(0, 4, 399), 3);
  assert.equal(history.pieceEnd(2, 4, 150), 3);
  assert.equal(history.pieceEnd(1, 4, 1), 2);
});

test("a transaction that is not newer than the last is a bug", () => {
  const history = new History(ZERO, [transaction(z(2, 5))]);
  assert.throws(() => history.push(transaction(z(2, 5))), /0x200000005 after 0x200000005/);
  assert.throws(() => history.push(transaction(z(1, 9))), /0x100000009 after 0x200000005/);
});

test("what is forgotten cannot be read any more", () => {
  const history = new History(
    ZERO,
    [1, 2, 3].map((counter) => transaction(z(1, counter))),
  );
  history.trim(0, 2);
  assert.equal(history.base, z(1, 2));
  assert.throws(() => history.at(1), /ordinal 1 is not in the history/);
  assert.throws(() => history.slice(1, 3), /not in the history/);
  assert.equal(history.at(2).zxid, z(1, 3));
});

test("what is cut off the end of a full ring takes nothing from its beginning", () => {
  for (const size of [2, 255, 256, 257, 511, 512, 513]) {
    const history = new History(ZERO);
    for (let counter = 1; counter <= size; counter++) history.push(transaction(z(1, counter)));
    history.truncate(z(1, size - 1));
    const left = history.slice(history.start, history.end).map((one) => one.zxid);
    assert.deepEqual(
      left,
      Array.from({ length: size - 1 }, (_, index) => z(1, index + 1)),
    );
  }
});
