// lane: works, 1 s
// What the lecture's two mends of the ring election mend, and what they do not.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { inStep } from "../in-step.ts";
import { type Mend, MendedRing } from "./mended.ts";

const RING = [12, 3, 32, 5, 80, 6];
const placeOf = (id: number): number => RING.indexOf(id);

interface Story {
  readonly mend: Mend;
  /** Who begins, and who is dead from which instant on. */
  readonly begins?: number;
  readonly deaths?: Readonly<Record<number, number>>;
  readonly delay?: (from: number, to: number) => number;
  readonly until?: number;
}

/** Whom each that lives follows in the end, and how many runs there were. */
function play({ mend, begins = 3, deaths = {}, delay, until = 400 }: Story) {
  const processes = RING.map((_, place) => new MendedRing(RING, place, mend));
  inStep({
    ids: RING,
    initiators: [placeOf(begins)],
    processes,
    rounds: true,
    deaths: new Map(Object.entries(deaths).map(([id, at]) => [placeOf(Number(id)), at])),
    until: (now) => now >= until,
    ...(delay !== undefined && { delay }),
  });
  const living = processes.filter((_, place) => !Object.hasOwn(deaths, RING[place] as number));
  return {
    leaders: [...new Set(living.map(({ leader }) => leader))],
    runs: Math.max(...living.map(({ runs }) => runs)),
  };
}

const watcher: Mend = { by: "watcher", patience: 3 };
const detector: Mend = { by: "detector", patience: 3 };

suite("nobody dies", () => {
  for (const mend of [watcher, detector]) {
    test(`${mend.by}: one run, the greatest leads`, () => {
      assert.deepEqual(play({ mend }), { leaders: [80], runs: 1 });
    });
  }
});

suite("the greatest dies: before it is reached, with its own token in its hands, or once it leads", () => {
  for (const mend of [watcher, detector]) {
    for (const at of [2, 6, 9, 12, 30]) {
      test(`${mend.by}, after ${at}`, () => {
        const { leaders, runs } = play({ mend, deaths: { 80: at } });
        assert.deepEqual(leaders, [32]);
        assert.ok(runs >= 2, "in another run");
      });
    }
  }
});

suite("the greatest dies, and who watched it", () => {
  const deaths = { 80: 30, 5: 30 };

  test("watcher: nobody is left to see it, and a dead one is followed for ever", () => {
    assert.deepEqual(play({ mend: watcher, deaths }), { leaders: [80], runs: 1 });
  });

  test("detector: everybody sees it", () => {
    assert.deepEqual(play({ mend: detector, deaths }).leaders, [32]);
  });
});

test("detector that misses a death: a dead one is followed for ever", () => {
  const mend = { ...detector, misses: [80] };
  assert.deepEqual(play({ mend, deaths: { 80: 30 } }), { leaders: [80], runs: 1 });
});

suite("a detector that is mistaken: of what the leader says to one, now and then something is late", () => {
  const delay = () => {
    let said = 0;
    return (from: number, to: number): number => {
      if (from !== placeOf(80) || to !== placeOf(3)) return 1;
      said += 1;
      return said % 12 === 0 ? 1 : 12 - (said % 12) + 1;
    };
  };
  const runsUntil = (mend: Mend, until: number): number => play({ mend, delay: delay(), until }).runs;

  test("runs are begun for ever", () => {
    const [some, more] = [runsUntil(detector, 400), runsUntil(detector, 1200)];
    assert.ok(some > 5 && more > 2 * some, `${some}, then ${more}`);
  });

  test("with twice the patience after each mistake they end, and the greatest leads", () => {
    const mend = { ...detector, backsOff: true };
    const [some, more] = [runsUntil(mend, 400), runsUntil(mend, 1200)];
    assert.equal(some, more);
    assert.deepEqual(play({ mend, delay: delay(), until: 1200 }).leaders, [80]);
  });
});
