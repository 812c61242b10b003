import assert from "node:assert/strict";
import test from "node:test";
import type { Lane } from "./lane.ts";
import { type Job, runAll, startable } from "./queue.ts";

interface Planned {
  readonly name: string;
  readonly lane: Lane;
  readonly seconds: number;
}

const planned = (name: string, lane: Lane, seconds: number): Planned => ({ name, lane, seconds });
const begun = (waiting: Planned[], running: Planned[]): string[] =>
  startable(waiting, running, 2).map(({ name }) => name);

const short = planned("short", "works", 1);
const long = planned("long", "works", 9);
const longest = planned("longest", "works", 20);
const naps = [1, 2, 3, 4, 5].map((seconds) => planned(`nap ${seconds}`, "waits", seconds));
const measured = planned("measured", "alone", 30);
const looked = [7, 8, 9].map((seconds) => planned(`looked ${seconds}`, "quiet", seconds));

test("the longest begin first: one for each processor, and as many that wait beside them", () => {
  const all = [short, ...naps, measured, longest, long];
  assert.deepEqual(begun(all, []), ["nap 5", "nap 4", "longest", "long"]);
  assert.deepEqual(begun([short, measured], [longest, ...naps]), ["short"]);
  assert.deepEqual(begun([short, ...naps], [longest, long, ...naps.slice(0, 2)]), []);
});

test("where nobody is left who waits, others who compute take those places", () => {
  assert.deepEqual(begun([short, measured], [longest, long]), ["short"]);
  assert.deepEqual(begun([short, long, measured], [longest, longest, ...naps.slice(0, 1)]), ["long"]);
  assert.deepEqual(begun([short, measured], [longest, longest, long, long]), []);
});

test("who needs quiet comes after them, one a processor, and before who is alone", () => {
  assert.deepEqual(begun([...looked, measured], [naps[0] ?? short]), []);
  assert.deepEqual(begun([...looked, measured], []), ["looked 9", "looked 8"]);
  assert.deepEqual(begun([...looked.slice(0, 1), measured], looked.slice(1, 2)), ["looked 7"]);
  assert.deepEqual(begun([measured], looked.slice(0, 1)), []);
});

test("who needs the machine alone comes when all others are over, and has nobody beside", () => {
  const other = planned("measured longer", "alone", 40);
  assert.deepEqual(begun([measured, other], [short]), []);
  assert.deepEqual(begun([measured, other], []), ["measured longer"]);
  assert.deepEqual(begun([measured], [other]), []);
});

test("all run, each once, and nobody beside one that is alone", async () => {
  const at = { works: 0, waits: 0, quiet: 0, alone: 0 };
  const seen: string[] = [];
  const jobs = [
    short,
    measured,
    ...looked,
    ...naps,

    long,
    longest,
    { ...measured, name: "measured again" },
  ].map(
    ({ name, lane, seconds }): Job<string> => ({
      lane,
      seconds,
      run: async () => {
        at[lane] += 1;
        await new Promise(setImmediate);
        const { works, waits, quiet, alone } = at;
        seen.push(`${alone} alone, ${works + waits + quiet} others`);
        if (quiet > 0) assert.equal(works + waits, 0);
        at[lane] -= 1;
        return name;
      },
    }),
  );
  const ended = await runAll(jobs, 2);
  assert.equal(new Set(ended).size, jobs.length);
  assert.deepEqual(ended.slice(-2), ["measured", "measured again"]);
  assert.ok(seen.includes("0 alone, 4 others"));
  assert.equal(seen.filter((each) => each === "1 alone, 0 others").length, 2);
  assert.deepEqual(
    seen.filter((each) => !/^0 alone|, 0 others$/.test(each)),
    [],
  );
});

test("after an interruption none begins", async () => {
  const interruption = new AbortController();
  const begun: string[] = [];
  const jobs = [longest, long, short, measured].map(
    ({ name, lane, seconds }): Job<string> => ({
      lane,
      seconds,
      run: async () => {
        begun.push(name);
        interruption.abort();
        return name;
      },
    }),
  );
  assert.deepEqual(await runAll(jobs, 2, interruption.signal), ["longest", "long", "short"]);
  assert.deepEqual(begun, ["longest", "long", "short"]);
});
