import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Progress } from "./progress.ts";

class Paper {
  readonly lines: string[] = [];
  now = 0;

  write(text: string): void {
    this.lines.push(text.trimEnd());
  }
}

/** Watched in a pipe: one line for each part that is done. */
function watched(...expected: readonly number[]) {
  const paper = new Paper();
  const progress = new Progress(expected, false, paper, () => paper.now);
  const part = (name: string, seconds: number): void => {
    progress.begin(name);
    paper.now += seconds;
    progress.finish(name);
  };
  return { paper, progress, part };
}

suite("the time left", () => {
  test("is told while the only part is under way, before anything is known of how long it takes", () => {
    const { paper, progress } = watched(130);
    progress.begin("run: load");
    paper.now = 30;
    progress.begin("run: check");
    progress.finish("run");
    assert.deepEqual(paper.lines, [
      "[0/1] run: load (0 s, 2 min 10 s left)",
      "[0/1] run: check (30 s, 1 min 40 s left)",
      "[1/1] run (30 s, 0 s left)",
    ]);
  });

  test("counts no part that an earlier call has done, neither as work nor as speed", () => {
    const { paper, part } = watched(0, 0, 0, 10, 10);
    for (const name of ["a", "b", "c"]) part(name, 0);
    assert.equal(paper.lines.at(-1), "[3/5] c (0 s, 20 s left)");
    part("d", 10);
    assert.equal(paper.lines.at(-1), "[4/5] d (10 s, 10 s left)");
  });

  test("is as much longer as the parts before were, each by its own length", () => {
    const { paper, part } = watched(10, 40, 20);
    part("short", 15);
    assert.equal(paper.lines.at(-1), "[1/3] short (15 s, 1 min 30 s left)");
  });

  test("is never negative, however late the last part is", () => {
    const { paper, progress } = watched(10);
    progress.begin("late");
    paper.now = 60;
    progress.begin("late still");
    assert.equal(paper.lines.at(-1), "[0/1] late still (60 s, 0 s left)");
  });
});

test("in a pipe a part of many says only that it is done; quiet says nothing", () => {
  const { paper, part } = watched(1, 1);
  part("a", 1);
  assert.equal(paper.lines.length, 1);
  const quiet = new Progress([1], true, paper);
  quiet.begin("a");
  quiet.finish("a");
  assert.equal(paper.lines.length, 1);
});

test("on a terminal it is one line, which counts on by itself", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const paper = Object.assign(new Paper(), { isTTY: true });
  const progress = new Progress([20, 20], false, paper, () => paper.now);
  progress.begin("a: load");
  paper.now = 1;
  t.mock.timers.tick(1000);
  assert.deepEqual(paper.lines, [
    "\r\x1b[2K[0/2] a: load (0 s, 40 s left)",
    "\r\x1b[2K[0/2] a: load (1 s, 39 s left)",
  ]);
  progress.end();
  t.mock.timers.tick(5000);
  assert.equal(paper.lines.length, 3, "and the line's end");
});
