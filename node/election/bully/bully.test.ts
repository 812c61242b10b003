// Bully as the lecture tells it, counted by the rehearsal, and where it is hardened. Five servers, p5 the
// greatest, all 10 ms apart unless told otherwise.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { type Duration, milliseconds } from "../../core/time.ts";
import { sayBully } from "../../testing/election/bully/say.ts";
import { countsOf, deployment1, ids, outcomeOf, timesOf } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import type { BullyOptions } from "./bully.ts";
import { bully } from "./entry.ts";
import type { BullySays } from "./message.ts";

const ms = milliseconds;
const [p1, p2, p3] = [serverId(1), serverId(2), serverId(3)];
const [p4, p5] = [serverId(4), serverId(5)];

interface Setting extends Partial<Pick<BullyOptions, "byScore" | "knownDown" | "mutant">> {
  readonly size?: number;
  readonly score?: (server: ServerId) => number;
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
}

function rehearse(setting: Setting = {}): Rehearsal<BullySays> {
  const { size = 5, score = () => 0, delay = () => ms(10), mutant = null } = setting;
  const { byScore = false, knownDown = true } = setting;
  const servers = ensemble(Array.from({ length: size }, (_, index) => index + 1));
  const options = { byScore, knownDown, answerTimeout: ms(200), coordinatorTimeout: ms(400) };
  return new Rehearsal<BullySays>({
    say: sayBully,
    servers,
    delay,
    enter: (self) =>
      bully.create({ self, servers, judge: scripted({ score: score(self) }), mutant }, options),
  });
}

/** All but the top `dead` live, and know it; then `starters` look for a leader, all at once. */
function counted(setting: Setting, size: number, dead: number, starters: readonly ServerId[]) {
  const all = ids(...Array.from({ length: size }, (_, index) => index + 1));
  const play = rehearse({ ...setting, size }).enter(ms(0), ...all);
  for (const server of all.slice(size - dead)) play.crash(ms(1), server);
  play.elect(ms(100), ...starters).play(ms(5000));
  const { election = 0, ok = 0, coordinator = 0, ...others } = countsOf(play);
  assert.deepEqual(others, {});
  return { election, ok, coordinator, play };
}

const triangle = (n: number): number => (n * (n + 1)) / 2;

suite("messages, by the formulas", () => {
  const worlds = fc.integer({ min: 3, max: 30 }).chain((size) =>
    fc.integer({ min: 1, max: Math.ceil(size / 2) - 1 }).chain((dead) =>
      fc.record({
        size: fc.constant(size),
        dead: fc.constant(dead),
        lowest: fc.integer({ min: 1, max: size - dead }),
      }),
    ),
  );

  test("to the letter, the dead are asked too", () => {
    fc.assert(
      fc.property(worlds, ({ size, dead, lowest }) => {
        const m = size - dead;
        const { election, ok, coordinator } = counted({ knownDown: false }, size, dead, [serverId(lowest)]);
        const asked = triangle(size - lowest) - triangle(dead - 1);
        assert.deepEqual([election, ok, coordinator], [asked, triangle(m - lowest), m - 1]);
        if (dead === 1) assert.equal(election + ok + coordinator, (size - lowest) ** 2 + size - 2);
      }),
      { numRuns: 100 },
    );
  });

  test("the dead not asked", () => {
    fc.assert(
      fc.property(worlds, ({ size, dead, lowest }) => {
        const m = size - dead;
        const { election, ok, coordinator } = counted({}, size, dead, [serverId(lowest)]);
        const both = triangle(m - lowest);
        assert.deepEqual([election, ok, coordinator], [both, both, m - 1]);
        if (dead === 1 && lowest === 1) assert.equal(2 * both + m - 1, size * (size - 2));
      }),
      { numRuns: 100 },
    );
  });

  test("five servers, p5 dead, all begin at once: 10 + 6 + 3, and 6 + 6 + 3", () => {
    const all = [p1, p2, p3, p4];
    const letter = counted({ knownDown: false }, 5, 1, all);
    assert.deepEqual([letter.election, letter.ok, letter.coordinator], [10, 6, 3]);
    const known = counted({}, 5, 1, all);
    assert.deepEqual([known.election, known.ok, known.coordinator], [6, 6, 3]);
    assert.deepEqual(outcomeOf(known.play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
  });

  test("the best case: who knows that it is the greatest says so, N - 2 messages, one delay", () => {
    const { election, ok, coordinator, play } = counted({}, 5, 1, [p4]);
    assert.deepEqual([election, ok, coordinator], [0, 0, 3]);
    assert.deepEqual(timesOf(play, ms(100)), [0, 10]);
    const letter = counted({ knownDown: false }, 5, 1, [p4]);
    assert.equal(letter.election + letter.ok + letter.coordinator, 4, "else N - 1, and the answer's timeout");
    assert.deepEqual(timesOf(letter.play, ms(100)), [200, 210]);
  });

  test("by score: everybody asks all that live, each is answered, and the best says so to all", () => {
    const all = [p1, p2, p3, p4];
    const play = rehearse({ byScore: true, score: (self) => 10 - self }).enter(ms(0), ...all, p5);
    play
      .crash(ms(1), p5)
      .elect(ms(100), ...all)
      .play(ms(5000));
    assert.deepEqual(countsOf(play), { election: 12, ok: 6, yield: 6, coordinator: 3 });
    assert.deepEqual(outcomeOf(play), ["p1: p1", "p2: p1", "p3: p1", "p4: p1"]);
  });
});

suite("time", () => {
  test("to the letter: from Election of the lowest to Coordinator at it, 2 delays and the timeout", () => {
    const { play } = counted({ knownDown: false }, 5, 1, [p1]);
    assert.deepEqual(timesOf(play, ms(100)), [10 + 200, 10 + 200 + 10]);
  });

  const deployment = (setting: Setting) => {
    const all = [p1, p2, p3, p4, p5];
    const play = rehearse({ ...setting, delay: deployment1 }).start(ms(0), ...all);
    play.crash(ms(1000), p5).play(ms(4000));
    assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
    return { times: timesOf(play, ms(1000)), counts: countsOf(play, ms(1000)) };
  };

  test("Deployment 1, p5 dies, by id: p4 leads when it notices, all know it one way later", () => {
    const { times } = deployment({});
    assert.deepEqual(times, [0.05, 38.58]);
  });

  test("Deployment 1, equal scores: a round trip more, where POLE needs one way", () => {
    const { times, counts } = deployment({ byScore: true });
    assert.deepEqual(times, [77.06, 115.59]);
    assert.equal(counts["coordinator"], 3);
  });
});

suite("the lecture's demonstrations", () => {
  for (const byScore of [false, true]) {
    const how = byScore ? "by score" : "by id";
    const three = () => rehearse({ byScore, size: 3, score: (self) => 10 - self });
    const a = byScore ? p1 : p3;
    const rest = [p1, p2, p3].filter((server) => server !== a);
    const next = p2;

    test(`${how}: of A, B and C dies A, and one of the others leads`, () => {
      const play = three().start(ms(0), p1, p2, p3).crash(ms(1000), a).play(ms(3000));
      assert.deepEqual(
        outcomeOf(play),
        rest.map((server) => `p${server}: p${next}`),
      );
    });

    test(`${how}: of A, B and C die A and B: nobody leads`, () => {
      const play = three().start(ms(0), p1, p2, p3).crash(ms(1000), a).crash(ms(1500), next).play(ms(20_000));
      const last = rest.filter((server) => server !== next)[0] ?? assert.fail();
      assert.equal(play.elected.get(last)?.leader, next, "what it elected last is the dead one");
      assert.ok((play.elected.get(last)?.at ?? 0) < ms(1500));
    });

    test(`${how}: of two data centers cut apart only the one with a quorum elects`, () => {
      const all = [p1, p2, p3, p4, p5];
      const play = rehearse({ byScore })
        .start(ms(0), ...all)
        .cut(ms(1000), [p1, p2, p3], [p4, p5]);
      // The leader has lost its quorum, and its service gives up; then its follower's does.
      play.elect(ms(1100), p5, p4).play(ms(5000));
      for (const server of [p1, p2, p3]) assert.equal(play.elected.get(server)?.leader, p3);
      for (const server of [p4, p5]) assert.ok((play.elected.get(server)?.at ?? 0) < ms(1000));
      // By id p5 takes itself for the leader first, and p4 follows it until its service finds it does not
      // lead.
      play.mend(ms(5100), [p1, p2, p3], [p4, p5]).elect(ms(6000), p4).play(ms(12_000));
      assert.deepEqual(
        outcomeOf(play),
        all.map((server) => `p${server}: p3`),
        "and when they meet again, nobody is unseated",
      );
    });
  }
});

suite("hardened", () => {
  test("nobody bullies on recovery: the greatest comes back, is told, and follows", () => {
    for (const byScore of [false, true]) {
      const play = rehearse({ byScore }).start(ms(0), p1, p2, p3, p4);
      play.start(ms(1000), p5).play(ms(3000));
      assert.deepEqual(
        outcomeOf(play),
        [1, 2, 3, 4, 5].map((server) => `p${server}: p4`),
      );
    }
  });

  test("rounds that have come apart: who leads one leads the later one too", () => {
    for (const byScore of [false, true]) {
      const play = rehearse({ byScore, delay: deployment1 }).start(ms(0), p1, p2, p3, p4, p5);
      // These two asked again in between, and are a round ahead of the others.
      play.elect(ms(1000), p1, p3).play(ms(2000));
      play.crash(ms(3000), p5).play(ms(3190));
      assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
      assert.ok(timesOf(play, ms(3000))[0] > 0, "all have elected anew");
    }
  });

  test("who was not connected when the leader told all is told when it asks, without votes", () => {
    for (const byScore of [false, true]) {
      const all = [p1, p2, p3, p4, p5];
      const play = rehearse({ byScore })
        .enter(ms(0), ...all)
        .cut(ms(1), [p3], [p5]);
      play
        .elect(ms(100), ...all)
        .mend(ms(150), [p3], [p5])
        .play(ms(3000));
      assert.deepEqual(
        [...play.elected].map(([server, { leader, round }]) => `p${server}: p${leader} ${round}`).sort(),
        all.map((server) => `p${server}: p5 1`),
      );
      assert.equal(countsOf(play)["vote"], undefined);
    }
  });

  test("two that took themselves for the leader of one round: the lesser gives in", () => {
    // p2 notices the death of p3 half a second late, and until then gives p1 no answer that counts.
    let late = 10;
    const delay = (from: ServerId, to: ServerId) => ms(from === p3 && to === p2 ? late : 10);
    const play = rehearse({ size: 3, delay }).start(ms(0), p1, p2, p3).play(ms(2000));
    late = 500;
    play.crash(ms(3000), p3).play(ms(3300));
    assert.equal(play.elected.get(p1)?.leader, p1);
    play.play(ms(3600));
    assert.deepEqual(outcomeOf(play), ["p1: p2", "p2: p2"]);
  });

  test("the one that answered OK dies: who waits for it does not wait long", () => {
    const play = rehearse().enter(ms(0), p1, p2, p3, p4, p5);
    play.crash(ms(1), p5).elect(ms(100), p3).crash(ms(109), p4).play(ms(4000));
    assert.equal(play.elected.get(p3)?.leader, p3);
    assert.deepEqual(timesOf(play, ms(100)), [19, 29]);
  });

  test("the greatest is elected and dies before all have heard: the others elect the next", () => {
    const play = rehearse().start(ms(0), p1, p2, p3, p4, p5);
    play.crash(ms(1000), p5).crash(ms(1011), p4).play(ms(4000));
    assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
  });

  test("a score is drawn once a round and holds for as long as the round lasts", () => {
    let drawn = 0;
    const play = rehearse({ byScore: true, score: () => (drawn += 1) });
    play.start(ms(0), p1, p2, p3).play(ms(2000));
    const keys = play.sent.flatMap(({ from, message }) =>
      message.kind === "election" ? [`p${from} ${message.round} ${message.key.score.join()}`] : [],
    );
    assert.equal(new Set(keys).size, new Set(keys.map((key) => key.split(" ").slice(0, 2).join(" "))).size);
  });

  test("a message that names a stranger, or a score that is none, ends the connection", () => {
    const servers = ensemble([1, 2, 3]);
    const seat = { self: p1, servers, judge: scripted({ score: 1 }), mutant: null };
    const options = { byScore: true, knownDown: true, answerTimeout: ms(1), coordinatorTimeout: ms(1) };
    const election = (score: number, server: number): BullySays => {
      return { kind: "election", round: 1 as never, key: { score: [score], server: serverId(server) } };
    };
    const told = [election(1, 9), election(Number.NaN, 2)].map((message) =>
      bully.create(seat, options).step({ kind: "message", from: p2, message }, 0 as never),
    );
    assert.deepEqual(told, [
      [
        {
          kind: "close",
          server: p2,
          reason: "its election names server 9, which is not of the ensemble",
        },
      ],
      [{ kind: "close", server: p2, reason: "its election has a score that is not a number" }],
    ]);
  });
});

suite("every mistake shows", () => {
  const shows = (mutant: Mutant, look: (mutant: Mutant | null) => string, right: string): void => {
    test(mutant, () => {
      assert.equal(look(null), right);
      assert.notEqual(look(mutant), right);
    });
  };
  const p5Dead = (setting: Setting) => rehearse(setting).enter(ms(0), p1, p2, p3, p4, p5).crash(ms(1), p5);

  shows(
    "ok-not-awaited",
    (mutant) => {
      const play = p5Dead({ mutant, byScore: true }).elect(ms(100), p1).play(ms(3000));
      return play.transcript.includes("p1  ELECTS p1") ? "p1 elects itself" : outcomeOf(play).join();
    },
    "p1: p4,p2: p4,p3: p4,p4: p4",
  );
  shows(
    "dead-not-skipped",
    (mutant) => timesOf(p5Dead({ mutant }).elect(ms(100), p4).play(ms(3000)), ms(100)).join(),
    "0,10",
  );
  shows(
    "coordinator-without-quorum",
    (mutant) => {
      const play = rehearse({ mutant }).enter(ms(0), p1, p2).elect(ms(100), p1, p2).play(ms(9000));
      return outcomeOf(play).join();
    },
    "",
  );
  shows(
    "bullied-on-recovery",
    (mutant) => {
      const play = rehearse({ mutant }).start(ms(0), p1, p2, p3, p4).start(ms(1000), p5).play(ms(3000));
      return outcomeOf(play).join();
    },
    "p1: p4,p2: p4,p3: p4,p4: p4,p5: p4",
  );
  shows(
    "two-followed-in-a-round",
    (mutant) => {
      const play = rehearse({ mutant }).enter(ms(0), p1, p2, p3, p4, p5).cut(ms(1), [p4], [p5]);
      play.elect(ms(100), p4, p5).play(ms(1000));
      const elections = play.transcript.split("\n").filter((line) => / p1 {2}ELECTS .* round 1$/.test(line));
      return String(elections.length);
    },
    "1",
  );
});
