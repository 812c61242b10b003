import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Random } from "../../../core/random.ts";
import type { LogRecord, Recovered } from "../../../core/record.ts";
import { recover } from "../../../core/recovery.ts";
import { epoch, type Zxid } from "../../../core/zxid.ts";
import { MemoryDisk } from "../../../testing/store/memory-disk.ts";
import {
  knowledge,
  type Life,
  live,
  promise,
  SEGMENT,
  snapshot,
  transaction,
  z,
} from "../../../testing/store/store-under-test.ts";

test("after a kill or a power cut a prefix of the records is left, at least what was durable", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (seed) => {
      const random = new Random(seed);
      let disk = new MemoryDisk();
      let before: LogRecord[] = [];
      for (let lives = 0; lives < 4; lives++) {
        const life = await live(disk, SEGMENT);
        const expected = knowledge(recover(before));
        assert.equal(knowledge(life.store.recovered), expected);
        const records = await scribble(life, disk, random, before);
        const { durable } = life;
        const keeps = (): boolean => random.chance(0.5);
        disk = random.chance(0.4) ? disk.killProcess(keeps) : disk.cutPower(keeps, () => random.chance(0.3));
        const { recovered } = (await live(disk.copy(), SEGMENT)).store;
        before = surviving(before, records, durable, recovered);
      }
    }),
    { numRuns: 150 },
  );
});

/** Appends random records in random batches; sometimes the disk, or a part of it, stalls for a while. */
async function scribble(
  life: Life,
  disk: MemoryDisk,
  random: Random,
  before: readonly LogRecord[],
): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const rounds = random.integer(1, 12);
  const stall = random.integer(1, 14);
  const lasts = random.integer(1, 8);
  let release = (): void => {};
  const stalled = random.pick(["", "log", "snapshot.0000000001", "snapshot.0000000002"]);
  for (let round = 1; round <= rounds; round++) {
    if (round === stall) release = disk.stall((name) => name.startsWith(stalled));
    if (round === stall + lasts) release();
    for (let count = random.integer(0, 4); count > 0; count--) {
      const chosen = scribbled(random, recover([...before, ...records]));
      life.store.append(chosen);
      records.push(...chosen);
    }
    life.store.flush();
    for (let ticks = random.integer(0, 12); ticks > 0; ticks--) await Promise.resolve();
    if (random.chance(0.3)) await life.rest();
  }
  return records;
}

function scribbled(random: Random, known: Recovered): LogRecord[] {
  const { history } = JSON.parse(knowledge(known)) as { history: Zxid[] };
  const newest = history.at(-1) ?? z(0);
  const covered = known.snapshot?.zxid ?? z(0);
  const kind = random.pick([
    "transaction",
    "transaction",
    "promise",
    "epoch",
    "founder",
    "truncate",
    "prefix",
    "all",
    "begun",
  ]);
  switch (kind) {
    case "transaction":
      return [transaction((newest + random.integer(1, 3)) as Zxid, random.integer(0, 300))];
    case "promise":
      return [promise(random.integer(1, 100))];
    case "epoch":
      return [{ kind: "epoch", epoch: epoch(random.integer(1, 100)) }];
    case "founder":
      return [{ kind: "founder" }];
    case "truncate":
      return [
        { kind: "truncate", to: random.pick([newest, ...known.transactions.map(({ zxid: id }) => id)]) },
      ];
    case "prefix": {
      const at = random.pick([
        ...known.transactions.map(({ zxid: id }) => id),
        Math.max(covered, newest) as Zxid,
      ]);
      return snapshot(
        at,
        "prefix",
        history.filter((id) => id <= at),
      );
    }
    case "all":
      return ((at) => snapshot(at, "all", [at]))(z(random.integer(1, 50)));
    default:
      return snapshot(newest, "prefix", history).slice(0, 1);
  }
}

/**
 * The records of which the recovered knowledge is the fold, or a failed test. Of several the longest: a
 * checkpoint adds no knowledge, and what it covers must not be truncated in a later life.
 */
function surviving(
  before: readonly LogRecord[],
  records: readonly LogRecord[],
  durable: number,
  recovered: Recovered,
): LogRecord[] {
  const found = knowledge(recovered);
  for (let count = records.length; count >= durable; count--) {
    const candidate = [...before, ...records.slice(0, count)];
    if (knowledge(recover(candidate)) === found) return candidate;
  }
  return assert.fail(`${found} is no prefix of at least ${durable} of ${records.length} records`);
}
