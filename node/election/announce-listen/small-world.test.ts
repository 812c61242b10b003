// lane: works, 8 s
// Three members and all that can happen to them. In a stretch without loss LE-A, LE-S and LE-M end with one
// leader from every state, in so many ticks at most; SUP+AL need not, and every mistake is found.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  AnnounceWorld,
  type AnnounceWorldOptions,
  DEAD,
  keyOf,
  printWorld,
  type TickWorld,
} from "../../testing/election/announce-world.ts";
import { inevitability } from "../../testing/election/inevitable.ts";
import type { Slip } from "./announce-listen.ts";

const LE_S: AnnounceWorldOptions = { members: 3, announce: 2, listen: 3, suppress: 1, rank: () => 0 };
const LE_A: AnnounceWorldOptions = { ...LE_S, suppress: 0 };
const LE_M: AnnounceWorldOptions = { ...LE_S, rank: (wait) => 1 - wait };
const SUP_AL: AnnounceWorldOptions = { ...LE_S, anybody: true };

const spaceOf = (world: AnnounceWorld) => ({
  key: keyOf,
  next: (from: TickWorld) => world.next(from),
  isSettled: (at: TickWorld) => world.isSettled(at),
});

function fromEveryState(options: AnnounceWorldOptions) {
  const world = new AnnounceWorld(options);
  return inevitability(spaceOf(world), world.states());
}

function fromTheBeginning(options: AnnounceWorldOptions) {
  const world = new AnnounceWorld(options);
  return inevitability(spaceOf(world), world.beginnings());
}

suite("from every state, once nothing is lost any more", () => {
  for (const [name, options] of Object.entries({ "LE-A": LE_A, "LE-S": LE_S, "LE-M": LE_M })) {
    test(`${name} ends with one leader, and stays with it`, (t) => {
      const { worlds, settled, steps, counterexample } = fromEveryState(options);
      assert.equal(counterexample, null);
      assert.ok(settled > 0 && worlds > 1000);
      t.diagnostic(`${worlds} worlds, ${settled} of them settled; ${steps} ticks at most until then`);
      // Who is missed, a silence, a way, and twice that where somebody mistaken is followed on the way.
      const { listen, suppress, announce } = options;
      assert.ok(steps !== null && steps <= 2 * (listen + suppress + announce + 1), `${steps} ticks`);
    });
  }

  test("in LE-S it is the greatest, if nobody begins with a leader smaller than itself", () => {
    const world = new AnnounceWorld(LE_S);
    const sound = [...world.states()].filter(({ places }) =>
      places.every(({ leader }, index) => leader > index),
    );
    const ofGreatest = (at: TickWorld): boolean => world.isSettled(at) && at.places[0]?.leader === 3;
    assert.notEqual(inevitability({ ...spaceOf(world), isSettled: ofGreatest }, sound).steps, null);
  });

  test("a memory that no life has made is not mended: who follows a smaller one goes on to", () => {
    const world = new AnnounceWorld(LE_S);
    const following = { leader: 1, rank: 0, announces: false, due: { listen: 3 } };
    const leading = { leader: 1, rank: 0, announces: true, due: { announce: 1 } };
    const led = { places: [leading, following, following], flying: [] };
    const { worlds, settled } = inevitability(spaceOf(world), [led]);
    assert.equal(settled, worlds);
  });
});

suite("SUP+AL, the warning", () => {
  test("may go on for ever without a leader; this is the shortest way there", (t) => {
    const { steps, counterexample } = fromTheBeginning({ ...SUP_AL, members: 2 });
    assert.equal(steps, null);
    assert.ok(counterexample !== null);
    for (const world of counterexample.way) t.diagnostic(printWorld(world));
    t.diagnostic("and from there round and round:");
    for (const world of counterexample.circle) t.diagnostic(printWorld(world));
    const nobodyLeads = counterexample.circle.some(({ places }) =>
      places.every(({ leader }, index) => leader !== index + 1),
    );
    assert.ok(nobodyLeads, "each follows another");
  });

  test("with three, too", () => {
    assert.equal(fromTheBeginning(SUP_AL).steps, null);
  });
});

suite("mistakes", () => {
  const found: Readonly<Record<Exclude<Slip, "a ghost is believed">, AnnounceWorldOptions>> = {
    "only a greater address is heard": LE_S,
    "it listens to itself": { ...LE_S, loopback: true },
    "listening is not armed again": LE_S,
    "announcing is not disarmed": LE_S,
  };
  for (const [slip, options] of Object.entries(found)) {
    test(`${slip}: found, and without it nothing is`, () => {
      assert.equal(fromTheBeginning({ ...options, slip: slip as Slip }).steps, null);
      assert.notEqual(fromTheBeginning(options).steps, null);
    });
  }

  /** The dead leader had said Bye, and a heartbeat of its is still under way: in any order. */
  const afterBye = (slip?: Slip): boolean => {
    const world = new AnnounceWorld(slip === undefined ? LE_S : { ...LE_S, slip });
    const following = { leader: DEAD, rank: 0, announces: false, due: { listen: 2 } };
    const flying = (["bye", "announcement"] as const).map((kind) => ({ from: DEAD, rank: 0, kind }));
    return world
      .next({ places: [following, following, following], flying })
      .every(({ places }) => places.every(({ leader }) => leader !== DEAD));
  };

  test("a ghost is believed: found, and without it nobody follows who has left", () => {
    assert.ok(afterBye());
    assert.ok(!afterBye("a ghost is believed"));
  });
});
