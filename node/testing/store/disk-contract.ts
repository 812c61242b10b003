/**
 * What the store asks of a disk, in numbered sentences; the real one and those that pretend pass one suite.
 *
 *  1. What was written is read where it was written, and nothing else changes; a hole reads as zeros.
 *  2. A reader gives fewer bytes than asked for only at the end of the file.
 *  3. Who creates a file that is there begins it anew; who writes over it finds it as it is.
 *  4. A file goes by its new name from its renaming on, and what had that name is gone.
 *  5. What was removed is not among the names; what is not there can be removed.
 *  6. A truncated file ends there.
 *  7. What is not there is neither opened, nor renamed, nor truncated, nor written over.
 *  8. The bytes of a write are the writer's again once it is fulfilled.
 */

import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import type { Disk, WriteMode } from "../../host/tcp/store/disk.ts";

export const SENTENCES = 8;

export interface DiskUnderTest {
  readonly disk: Disk;
  /** Waits for what a disk does, in its own kind of time. */
  readonly done: <Result>(promise: Promise<Result>) => Promise<Result>;
}

type Sentence = (number: number, what: string, run: (on: DiskUnderTest) => Promise<void>) => void;

export function diskContract(name: string, begin: (t: TestContext) => DiskUnderTest): void {
  suite(`the contract of a disk: ${name}`, () => {
    const told = new Set<number>();
    const sentence: Sentence = (number, what, run) => {
      told.add(number);
      test(`${number}. ${what}`, (t) => run(begin(t)));
    };
    contents(sentence);
    names(sentence);
    test("each sentence has been tried", () => assert.equal(told.size, SENTENCES));
  });
}

function contents(sentence: Sentence): void {
  for (const mode of ["through", "buffered"] as const) {
    sentence(1, `what was written ${mode} is read where it was written`, async (on) => {
      await write(on, mode, [3, [1, 2, 3]], [700, [4]], [4, [9]]);
      assert.deepEqual(bytes(on, 0, 8), [0, 0, 0, 1, 9, 3, 0, 0]);
      assert.deepEqual(bytes(on, 699, 2), [0, 4]);
      await write(on, "over", [5, [7, 7]]);
      assert.deepEqual(bytes(on, 3, 5), [1, 9, 7, 7, 0]);
    });
  }

  sentence(2, "fewer bytes come only at the end", async (on) => {
    await write(on, "through", [0, [1, 2, 3]]);
    const reader = on.disk.open("f");
    assert.equal(reader.size, 3);
    assert.deepEqual([...reader.read(1, 10)], [2, 3]);
    assert.deepEqual([...reader.read(9, 2)], []);
    reader.close();
  });

  sentence(3, "created anew it is empty, written over it is as it was", async (on) => {
    await write(on, "through", [0, [1, 2, 3]]);
    await write(on, "over", [1, [8]]);
    assert.deepEqual(bytes(on, 0, 9), [1, 8, 3]);
    await write(on, "through", [0, [5]]);
    assert.deepEqual(bytes(on, 0, 9), [5]);
  });
}

function names(sentence: Sentence): void {
  sentence(4, "a file goes by its new name", async (on) => {
    await write(on, "through", [0, [1]]);
    await close(on, "g", "through");
    await on.done(on.disk.rename("f", "g"));
    await on.done(on.disk.sync());
    assert.deepEqual(on.disk.names(), ["g"]);
    assert.deepEqual(bytes(on, 0, 9, "g"), [1]);
  });

  sentence(5, "what was removed is gone", async (on) => {
    await write(on, "through", [0, [1]]);
    await on.done(on.disk.remove("f"));
    await on.done(on.disk.remove("f"));
    assert.deepEqual(on.disk.names(), []);
  });

  sentence(6, "a truncated file ends there", async (on) => {
    await write(on, "through", [0, [1, 2, 3]]);
    await on.done(on.disk.truncate("f", 2));
    assert.deepEqual(bytes(on, 0, 9), [1, 2]);
  });

  sentence(7, "what is not there cannot be used", async (on) => {
    assert.throws(() => on.disk.open("f"), /ENOENT/);
    await assert.rejects(on.done(on.disk.rename("f", "g")), /ENOENT/);
    await assert.rejects(on.done(on.disk.truncate("f", 1)), /ENOENT/);
    await assert.rejects(on.done(on.disk.create("f", "over")), /ENOENT/);
  });

  sentence(8, "the writer may use its bytes again", async (on) => {
    const file = await on.done(on.disk.create("f", "buffered"));
    const own = Uint8Array.of(1, 2);
    await on.done(file.write(own, 0));
    own.fill(9);
    await on.done(file.sync());
    await on.done(file.close());
    assert.deepEqual(bytes(on, 0, 9), [1, 2]);
  });
}

type Piece = readonly [position: number, bytes: readonly number[]];

async function write(on: DiskUnderTest, mode: WriteMode, ...pieces: readonly Piece[]): Promise<void> {
  const file = await on.done(on.disk.create("f", mode));
  for (const [position, piece] of pieces) await on.done(file.write(Uint8Array.from(piece), position));
  await on.done(file.sync());
  await on.done(file.close());
}

async function close({ disk, done }: DiskUnderTest, name: string, mode: WriteMode): Promise<void> {
  const file = await done(disk.create(name, mode));
  await done(file.close());
}

function bytes({ disk }: DiskUnderTest, position: number, length: number, name = "f"): number[] {
  const reader = disk.open(name);
  const read = [...reader.read(position, length)];
  reader.close();
  return read;
}
