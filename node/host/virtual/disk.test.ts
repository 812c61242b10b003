import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../core/random.ts";
import { milliseconds } from "../../core/time.ts";
import { counters, transactions } from "../../testing/host/contract-scene.ts";
import { Agenda } from "./agenda.ts";
import { Disk, type DiskShape } from "./disk.ts";
import type { Reopened } from "./storage.ts";

const numbers = (reopened: Reopened): number[] => {
  ok(reopened.ok);
  return counters(reopened.recovered.transactions);
};

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

function setUp(shape: Partial<DiskShape> = {}, seed = 1) {
  const agenda = new Agenda();
  const disk = new Disk({ sync: milliseconds(2), steady: 1, ...shape }, agenda, new Random(seed));
  const told: [ms: number, what: number | string][] = [];
  const user = {
    durable: (count: number) => void told.push([agenda.now / 1000, count]),
    failed: (reason: string) => void told.push([agenda.now / 1000, reason]),
  };
  const drain = (): void => {
    while (agenda.size > 0) agenda.advance();
  };
  return { agenda, disk, told, user, drain };
}

test("what is appended during a sync goes with the next one, together", () => {
  const { agenda, disk, told, user, drain } = setUp();
  disk.open(user);
  disk.append(transactions(1, 3));
  disk.flush();
  agenda.after(milliseconds(1), () => {
    disk.append(transactions(4, 6));
    disk.flush();
    disk.append(transactions(7, 7));
  });
  drain();
  deepEqual(told, [
    [2, 3],
    [4, 7],
  ]);
});

test("a disk with a rate takes time for the bytes, and a slow one for everything", () => {
  const { disk, told, user, drain } = setUp({ bytesPerSecond: 140e3 });
  disk.open(user);
  disk.append(transactions(1, 1));
  disk.flush();
  drain();
  deepEqual(told, [[3, 1]], "140 bytes of a transaction take 1 ms");
  disk.slow(10);
  disk.append(transactions(2, 2));
  disk.flush();
  drain();
  deepEqual(told.at(-1), [33, 2]);
});

test("a crash keeps what is durable, and any part of the rest", () => {
  const kept = new Set<number>();
  for (let seed = 0; seed < 200; seed++) {
    const { agenda, disk, user } = setUp({}, seed);
    disk.open(user);
    disk.append(transactions(1, 2));
    disk.flush();
    agenda.advance();
    disk.append(transactions(3, 5));
    disk.flush();
    disk.crash();
    const found = numbers(disk.open(user));
    deepEqual(found, upTo(found.length));
    kept.add(found.length);
  }
  deepEqual(
    [...kept].sort((a, b) => a - b),
    [2, 3, 4, 5],
  );
});

test("what a crash tore in two is cut off, and the next life writes behind what is whole", () => {
  for (let seed = 0; seed < 50; seed++) {
    const { disk, user, drain } = setUp({}, seed);
    let written = 0;
    for (let life = 0; life < 5; life++) {
      written = numbers(disk.open(user)).length;
      disk.append(transactions(written + 1, written + 4));
      disk.crash();
    }
    disk.open(user);
    drain();
    disk.crash();
    const found = numbers(disk.open(user));
    deepEqual(found, upTo(found.length));
    ok(found.length >= written);
  }
});

test("a sync that was under way when the process died is not reported to the next life", () => {
  const { disk, told, user, drain } = setUp();
  disk.open(user);
  disk.append(transactions(1, 1));
  disk.flush();
  disk.crash();
  disk.open({ ...user, durable: () => told.push([0, "reported"]) });
  drain();
  deepEqual(told, []);
});

test("a full disk makes nothing durable, and says so", () => {
  const { disk, told, user, drain } = setUp();
  disk.open(user);
  disk.fill();
  disk.append(transactions(1, 1));
  disk.flush();
  drain();
  deepEqual(told, [[2, "no space left on the disk"]]);
  disk.crash();
  deepEqual(numbers(disk.open(user)), []);
});

test("a disk that is slow by so much makes everything durable so much later, until it is not", () => {
  const { disk, told, user, drain } = setUp();
  disk.open(user);
  disk.delay(milliseconds(200));
  disk.append(transactions(1, 1));
  disk.flush();
  drain();
  disk.delay(milliseconds(0));
  disk.append(transactions(2, 2));
  disk.flush();
  drain();
  deepEqual(told, [
    [202, 1],
    [204, 2],
  ]);
});

test("a held disk makes nothing durable until it is let go; who dies meanwhile is told of nothing", () => {
  const { disk, told, user, drain } = setUp();
  disk.open(user);
  disk.append(transactions(1, 1));
  disk.flush();
  disk.hold(true);
  drain();
  equal(told.length, 0);
  disk.hold(false);
  drain();
  equal(told.length, 1);
  disk.hold(true);
  disk.append(transactions(2, 2));
  disk.flush();
  drain();
  disk.crash();
  disk.hold(false);
  drain();
  equal(told.length, 1);
});

test("a failing disk says so, and what it was given is there, or part of it, or nothing", () => {
  const kept = new Set<number>();
  for (let seed = 0; seed < 100; seed++) {
    const { disk, told, user, drain } = setUp({}, seed);
    disk.open(user);
    disk.append(transactions(1, 2));
    disk.flush();
    drain();
    disk.break("failing");
    disk.append(transactions(3, 4));
    disk.flush();
    drain();
    deepEqual(told.at(-1), [4, "input/output error"]);
    disk.crash();
    disk.break(null);
    kept.add(numbers(disk.open(user)).length);
  }
  deepEqual(kept, new Set([2, 3, 4]));
});

test("a torn write ends its server, and is never there as a whole", () => {
  for (let seed = 0; seed < 100; seed++) {
    const { disk, told, user, drain } = setUp({}, seed);
    disk.open(user);
    disk.append(transactions(1, 2));
    disk.flush();
    drain();
    disk.break("torn");
    disk.append(transactions(3, 4));
    disk.flush();
    drain();
    deepEqual(told.at(-1), [4, "killed in the middle of a write"]);
    disk.crash();
    // The last byte is one of the half that is there, so this hurts nothing that is whole.
    disk.damage(1);
    const found = numbers(disk.open(user)).length;
    ok(found === 2 || found === 3, String(found));
  }
});

test("a damaged record with others behind it is refused, with its place", () => {
  const { disk, user, drain } = setUp();
  disk.open(user);
  disk.append(transactions(1, 10));
  disk.flush();
  drain();
  disk.crash();
  disk.damage(0.5);
  const reopened = disk.open(user);
  ok(!reopened.ok);
  equal(reopened.offset, 690, "ten entries of 138 bytes; the middle is where the sixth begins");
  ok(/^checksum 0x|^an entry of/.test(reopened.reason));
  disk.wipe();
  deepEqual(numbers(disk.open(user)), []);
});
