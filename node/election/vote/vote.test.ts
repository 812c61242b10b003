// Majority vote as the lecture tells it, counted by the rehearsal; what divides the votes, what mends that,
// and where it is hardened. Five servers, all 10 ms apart unless told otherwise.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { Effect, Input } from "../../core/automaton.ts";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { majority } from "../../core/quorum.ts";
import { BLANK } from "../../core/recovery.ts";
import { round } from "../../core/score.ts";
import { epoch } from "../../core/zxid.ts";
import { candidateOf } from "../../telemetry/facts.ts";
import { type Duration, instant, milliseconds, timeOfDay } from "../../core/time.ts";
import { countsOf, deployment1, ids, outcomeOf, timesOf } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { type Script, scripted } from "../../testing/election/scripted-judge.ts";
import { sayVote } from "../../testing/election/vote/say.ts";
import type { ElectionProtocol } from "../election.ts";
import { vote } from "./entry.ts";
import type { MajoritySays } from "./message.ts";

const ms = milliseconds;
const [p1, p2, p3] = [serverId(1), serverId(2), serverId(3)];
const [p4, p5] = [serverId(4), serverId(5)];

interface Setting {
  readonly size?: number;
  readonly score?: (server: ServerId) => Script["score"];
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
  readonly standDelay?: Duration;
  readonly ranked?: boolean;
  readonly waitForAll?: boolean;
  readonly mutant?: Mutant | null;
}

/** Neither waiting for all nor leases. */
const USUAL = { waitForAll: false, lease: ms(0), promise: ms(1000), drift: 0 };
const OPTIONS = { standDelay: ms(50), ranked: true, sitOut: ms(200), leaderWait: ms(300), ...USUAL };

function rehearse(setting: Setting = {}): Rehearsal<MajoritySays> {
  const { size = 5, score = () => 0, delay = () => ms(10), mutant = null } = setting;
  const { standDelay = OPTIONS.standDelay, ranked = true, waitForAll = false } = setting;
  const servers = ensemble(Array.from({ length: size }, (_, index) => index + 1));
  return new Rehearsal<MajoritySays>({
    say: sayVote,
    servers,
    delay,
    enter: (self) =>
      vote.create(
        { self, servers, judge: scripted({ score: score(self) }), mutant },
        { ...OPTIONS, standDelay, ranked, waitForAll },
      ),
  });
}

/** All five live; p5 alone stands and leads, and dies at 5 s. */
const led = (setting: Setting): Rehearsal<MajoritySays> =>
  rehearse(setting).enter(ms(0), p1, p2, p3, p4, p5).elect(ms(1000), p5).play(ms(4999)).crash(ms(5000), p5);

suite("one candidate", () => {
  const worlds = fc.integer({ min: 2, max: 30 }).chain((size) =>
    fc.record({
      size: fc.constant(size),
      candidate: fc.integer({ min: 1, max: size }),
      delays: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 30, maxLength: 30 }),
    }),
  );

  test("3 (n - 1) messages, and it leads a round trip to its nearest majority after it asked", () => {
    fc.assert(
      fc.property(worlds, ({ size, candidate, delays }) => {
        const self = serverId(candidate);
        // Only the distance from the candidate counts.
        const far = (from: ServerId, to: ServerId) =>
          from === self ? (delays[to - 1] ?? 1) : (delays[from - 1] ?? 1);
        const play = rehearse({ size, delay: (from, to) => ms(far(from, to)) });
        const all = ids(...Array.from({ length: size }, (_, index) => index + 1));
        play.enter(ms(0), ...all).play(ms(400));
        // By rank only the greatest stands at once.
        play.elect(ms(500), self).play(ms(10_000));
        const waited = (size - candidate) * 50;
        const others = all.filter((server) => server !== self).map((server) => far(self, server));
        const theta = 2 * (others.sort((a, b) => a - b)[majority(size) - 2] ?? 0);
        assert.deepEqual(countsOf(play), { ask: size - 1, grant: size - 1, master: size - 1 });
        assert.deepEqual(timesOf(play, ms(500))[0], waited + theta);
        assert.deepEqual(new Set([...play.elected.values()].map(({ leader }) => leader)), new Set([self]));
      }),
      { numRuns: 60 },
    );
  });
});

suite("Deployment 1, p5 dies, equal scores", () => {
  test("first come: p2, p3 and p4 vote for themselves, p1 for p2 or p3, and nobody leads", () => {
    const play = led({ delay: deployment1, standDelay: ms(0) }).play(ms(5250));
    const votes = play.sent.filter(({ at, message }) => at >= ms(5000) && message.kind === "grant");
    assert.deepEqual(
      votes.map(({ from }) => from),
      [p1],
    );
    assert.ok(votes.every(({ to }) => to === p2 || to === p3));
    assert.ok([...play.elected.values()].every(({ at }) => at < ms(5000)));
    play.play(ms(20_000));
    assert.equal(new Set([...play.elected.values()].map(({ leader }) => leader)).size, 1);
    assert.ok(
      [...play.elected.values()].every(({ at }) => at > ms(5250)),
      "in a later round, by chance",
    );
  });

  test("by rank: p4 stands at once, leads after its round trip to SLAC, and FNAL hears of it last", () => {
    const play = led({ delay: deployment1 }).play(ms(9000));
    assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
    assert.deepEqual(timesOf(play, ms(5000)), [9.93, 48.46]);
  });

  test("by chance: one leader, whoever it is", () => {
    const play = led({ delay: deployment1, ranked: false }).play(ms(20_000));
    assert.equal(new Set([...play.elected.values()].map(({ leader }) => leader)).size, 1);
    assert.equal(play.elected.size, 4);
  });
});

test("by rank of scores: after a round in which its score was heard, the best stands first", () => {
  const play = rehearse({ score: (self) => 10 - self });
  play.start(ms(0), p1, p2, p3, p4, p5).play(ms(3000));
  const first = play.elected.get(p1)?.leader ?? assert.fail();
  play.crash(ms(4000), first).play(ms(8000));
  const best = first === p1 ? p2 : p1;
  assert.deepEqual(new Set([...play.elected.values()].map(({ leader }) => leader)), new Set([best]));
});

test("by rank of what is told while a leader serves: the best stands first, also at the first death", () => {
  // Whoever led first was stated, by another oracle, so nothing that was heard then compares.
  const score = (self: ServerId) => (inRound: number) => (inRound === 1 ? 0 : 10 - self);
  const play = rehearse({ score }).enter(ms(0), p1, p2, p3, p4, p5);
  play.elect(ms(1000), p5).serve(ms(2000), p5, epoch(1)).play(ms(5000));
  const told = play.sent.filter(({ message }) => message.kind === "standing");
  assert.deepEqual(
    new Set(told.map(({ from }) => from)),
    new Set([p1, p2, p3, p4]),
    "not by who leads, and what has not changed is not told again",
  );
  assert.equal(told.length, 4 * 4);
  play.crash(ms(6000), p5).play(ms(9000));
  assert.deepEqual(outcomeOf(play), ["p1: p1", "p2: p1", "p3: p1", "p4: p1"]);
  const asks = play.sent.filter(({ at, message }) => at > ms(6000) && message.kind === "ask");
  assert.deepEqual(new Set(asks.map(({ from }) => from)), new Set([p1]));
});

test("of scores that are near the ids decide, so that two do not stand at once", () => {
  const score = (self: ServerId) => 1000 + (self === p2 ? 5 : self === p3 ? 4 : 0);
  const play = rehearse({ score }).enter(ms(0), p1, p2, p3, p4).elect(ms(1000), p4);
  play.play(ms(3000)).crash(ms(4000), p4).play(ms(5000));
  assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
});

test("who is to lead first was stated: it is waited for, though it starts last, and not for ever", () => {
  const servers = ensemble([1, 2, 3]);
  const late = (stated: ServerId | null) => {
    const until = ms(5000);
    const judge = { ...scripted({ score: 0 }), stated: (now: number) => (now < until ? stated : null) };
    const enter = (self: ServerId) => vote.create({ self, servers, judge, mutant: null }, OPTIONS);
    const play = new Rehearsal<MajoritySays>({ say: sayVote, servers, delay: () => ms(10), enter });
    return play.start(ms(0), p2, p3);
  };
  const leaders = ({ elected }: Rehearsal<MajoritySays>) =>
    new Set([...elected.values()].map((one) => one.leader));
  assert.deepEqual(leaders(late(null).start(ms(700), p1).play(ms(4000))), new Set([p3]));
  assert.deepEqual(leaders(late(p1).start(ms(700), p1).play(ms(4000))), new Set([p1]));
  assert.deepEqual(leaders(late(p1).play(ms(4900))), new Set());
  assert.equal(late(p1).play(ms(20_000)).elected.size, 2);
});

suite("the lecture's demonstrations", () => {
  test("of A, B and C dies A, and B or C leads", () => {
    const play = rehearse({ size: 3 }).start(ms(0), p1, p2, p3).play(ms(3000));
    assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3"]);
    play.crash(ms(3500), p3).play(ms(6000));
    assert.deepEqual(outcomeOf(play), ["p1: p2", "p2: p2"]);
  });

  const two = (mutant: Mutant | null) =>
    rehearse({ size: 3, mutant })
      .start(ms(0), p1, p2, p3)
      .crash(ms(3500), p3)
      .crash(ms(5000), p2)
      .play(ms(40_000))
      .elected.get(p1);

  test("A and B die: nobody leads", () => {
    const last = two(null);
    assert.deepEqual([last?.leader, (last?.at ?? 0) < ms(5000)], [p2, true]);
    assert.equal(
      two("master-without-majority")?.leader,
      p1,
      "which a master without a majority would not mind",
    );
  });

  test("of two data centers cut apart only the one with a quorum elects", () => {
    const [here, there] = [
      [p1, p2, p3],
      [p4, p5],
    ];
    const play = rehearse().start(ms(0), p1, p2, p3, p4, p5).play(ms(3000));
    assert.equal(play.elected.get(p1)?.leader, p5);
    play.cut(ms(4000), here, there).elect(ms(4100), p5, p4).play(ms(8000));
    for (const server of here) assert.equal(play.elected.get(server)?.leader, p3);
    for (const server of there) assert.ok((play.elected.get(server)?.at ?? 0) < ms(4000));
    play.mend(ms(8100), here, there).play(ms(30_000));
    assert.deepEqual(
      outcomeOf(play),
      [1, 2, 3, 4, 5].map((server) => `p${server}: p3`),
      "and when they meet again, nobody is unseated",
    );
  });
});

suite("a vote is given once a round", () => {
  type Says = ElectionProtocol<Parameters<typeof vote.codec.write>[0]>;

  function voter(mutant: Mutant | null) {
    const seat = { self: p1, servers: ensemble([1, 2, 3]), judge: scripted({ score: 0 }), mutant };
    const automaton = vote.create(seat, { ...OPTIONS, standDelay: ms(1000) });
    const step = (input: Input<Says>) => automaton.step(input, instant(0)).flatMap(grantsOf);
    const asks = (from: ServerId, inRound: number) => {
      const key = { score: [0], server: from };
      return step({ kind: "message", from, message: { kind: "ask", round: round(inRound), key } });
    };
    return { step, asks };
  }
  const grantsOf = (effect: Effect<Says>): string[] =>
    effect.kind === "send" && effect.message.kind === "grant"
      ? effect.to.map((to) => `p${to} in ${effect.message.round}`)
      : [];
  const START = { kind: "start", recovered: BLANK, life: 7, timeOfDay: timeOfDay(0) } as const;

  test("who asks second in a round gets none, who asks again gets it again, a later round is new", () => {
    const given = (mutant: Mutant | null) => {
      const { asks } = voter(mutant);
      return [asks(p2, 1), asks(p3, 1), asks(p2, 1), asks(p3, 2), asks(p2, 1)].flat();
    };
    assert.deepEqual(given(null), ["p2 in 1", "p2 in 1", "p3 in 2"]);
    assert.deepEqual(given("voted-twice-a-round")[1], "p3 in 1");
  });

  test("who has just started sits out, and every round that it hears of meanwhile", () => {
    const given = (mutant: Mutant | null) => {
      const { step, asks } = voter(mutant);
      const early = [step(START), asks(p2, 5)].flat();
      const late = [step({ kind: "timeout", timer: "sit out" }), asks(p2, 5), asks(p3, 6)].flat();
      return [early, late];
    };
    assert.deepEqual(given(null), [[], ["p3 in 6"]]);
    assert.deepEqual(given("restarted-voter-votes")[0], ["p2 in 5"]);
  });

  test("who has voted asks who comes back whom it follows, and waits no longer for many short rounds", () => {
    const seat = { self: p1, servers: ensemble([1, 2, 3]), judge: scripted({ score: 0 }), mutant: null };
    const automaton = vote.create(seat, OPTIONS);
    const step = (input: Input<Says>) => automaton.step(input, instant(0));
    const key = { score: [0], server: p2 };
    step({ kind: "request", request: { kind: "elect" } });
    const rounds = Array.from({ length: 20 }, (_, index) =>
      step({ kind: "message", from: p2, message: { kind: "ask", round: round(index + 2), key } }),
    );
    for (const effect of rounds.flat())
      if (effect.kind === "arm" && effect.timer === "retry")
        assert.ok(effect.after <= 2 * OPTIONS.leaderWait);
    const asked = step({ kind: "connected", server: p3 });
    const whom = { kind: "whom", round: round(21) } as const;
    assert.deepEqual(asked, [{ kind: "send", to: [p3], message: whom }]);
    step({ kind: "timeout", timer: "retry" });
    const [first] = step({ kind: "timeout", timer: "stand" });
    assert.ok(
      first?.kind === "arm" && first.after >= 2 * OPTIONS.leaderWait,
      "what was waited in vain counts",
    );
  });

  test("the round after a leader that was served is the same for all, however far one was before", () => {
    const seat = { self: p1, servers: ensemble([1, 2, 3]), judge: scripted({ score: 0 }), mutant: null };
    const automaton = vote.create(seat, { ...OPTIONS, standDelay: ms(10) });
    const step = (input: Input<Says>) => automaton.step(input, instant(0));
    const hears = (message: Parameters<typeof vote.codec.write>[0]) =>
      step({ kind: "message", from: p2, message });
    const key = { score: [0], server: p2 };
    step({ kind: "request", request: { kind: "elect" } });
    hears({ kind: "master", round: round(1), keys: [key] });
    step({ kind: "request", request: { kind: "led", leader: p2, epoch: epoch(1) } });
    hears({ kind: "standing", round: round(4), key });
    const begun = step({ kind: "request", request: { kind: "elect" } }).flatMap((effect) =>
      effect.kind === "output" && effect.output.kind === "observed" ? [candidateOf(effect.output.facts)] : [],
    );
    assert.deepEqual(
      begun.map((candidate) => candidate?.round),
      [5],
    );
  });

  test("a vote that comes when its candidate follows another is answered with whom", () => {
    const seat = { self: p1, servers: ensemble([1, 2, 3]), judge: scripted({ score: 0 }), mutant: null };
    const automaton = vote.create(seat, { ...OPTIONS, standDelay: ms(0) });
    const step = (input: Input<Says>) => automaton.step(input, instant(0));
    const says = (from: ServerId, kind: "master" | "grant") => {
      const key = { score: [0], server: from };
      const message =
        kind === "grant" ? { kind, round: round(1), key } : { kind, round: round(1), keys: [key] };
      return step({ kind: "message", from, message });
    };
    step({ kind: "request", request: { kind: "elect" } });
    says(p2, "master");
    const told = { kind: "vote", round: round(1), leader: p2 } as const;
    assert.deepEqual(says(p3, "grant"), [{ kind: "send", to: [p3], message: told }]);
  });

  test("a candidate that is not the one whose key it shows ends the connection", () => {
    const seat = { self: p1, servers: ensemble([1, 2, 3]), judge: scripted({ score: 0 }), mutant: null };
    const message = { kind: "ask", round: round(1), key: { score: [0], server: p3 } } as const;
    const effects = vote.create(seat, OPTIONS).step({ kind: "message", from: p2, message }, instant(0));
    assert.deepEqual(effects, [{ kind: "close", server: p2, reason: "its ask has the key of server 3" }]);
  });
});

suite("hardened", () => {
  test("nobody is unseated by one that is back, though it is the greatest", () => {
    const play = rehearse().start(ms(0), p1, p2, p3, p4).start(ms(3000), p5).play(ms(6000));
    assert.deepEqual(
      outcomeOf(play),
      [1, 2, 3, 4, 5].map((server) => `p${server}: p4`),
    );
  });

  test("who has a majority says so: else everybody would wait for it", () => {
    const followers = (mutant: Mutant | null) => {
      const play = rehearse({ mutant }).enter(ms(0), p1, p2, p3, p4, p5).elect(ms(1000), p5);
      return play.play(ms(1200)).elected.size;
    };
    assert.equal(followers(null), 5);
    assert.equal(followers("master-informs-nobody"), 1);
  });

  test("whom a voter has voted for dies: it does not wait for it", () => {
    const play = rehearse().enter(ms(0), p1, p2, p3, p4, p5).elect(ms(1000), p5).crash(ms(1015), p5);
    play.play(ms(1200));
    assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
  });
});

suite("waiting for all that live", () => {
  test("of m that live the best leads, wherever they are: m (m - 1) + 2 (m - 1) messages", () => {
    const worlds = fc.record({
      size: fc.integer({ min: 2, max: 12 }),
      places: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 12, maxLength: 12 }),
      scores: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 12, maxLength: 12 }),
    });
    fc.assert(
      fc.property(worlds, ({ size: m, places, scores }) => {
        const score = (server: ServerId) => scores[server - 1] ?? 0;
        const place = (server: ServerId) => places[server - 1] ?? 0;
        // On a line: no way is shorter by way of somebody else.
        const delay = (from: ServerId, to: ServerId) => ms(1 + Math.abs(place(from) - place(to)));
        const all = ids(...Array.from({ length: m }, (_, index) => index + 1));
        const play = rehearse({ size: m, waitForAll: true, score, delay });
        play
          .enter(ms(0), ...all)
          .play(ms(400))
          .elect(ms(500), ...all)
          .play(ms(795));
        const best = all.toSorted((a, b) => score(b) - score(a) || b - a)[0];
        assert.deepEqual(countsOf(play), { ask: m * (m - 1), grant: m - 1, master: m - 1 });
        assert.ok([...play.elected.values()].every(({ leader }) => leader === best));
      }),
      { numRuns: 60 },
    );
  });

  test("Deployment 1, p5 dies: the best of the four leads, though a nearer one could have been first", () => {
    const leaders = (mutant: Mutant | null) => {
      const score = (server: ServerId) => (server === p1 ? 1 : 0);
      return outcomeOf(led({ delay: deployment1, waitForAll: true, score, mutant }).play(ms(5500)));
    };
    assert.deepEqual(leaders(null), ["p1: p1", "p2: p1", "p3: p1", "p4: p1"]);
    assert.notDeepEqual(leaders("not-all-awaited"), ["p1: p1", "p2: p1", "p3: p1", "p4: p1"]);
  });
});
