// lane: works, 6 s
// The heir: known before the leader dies, followed at once when it does, and given up where anything speaks
// against it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import { round } from "../../core/score.ts";
import { milliseconds } from "../../core/time.ts";
import { explore } from "../../testing/election/explore.ts";
import { Soloist } from "../../testing/election/pole/soloist.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { SmallWorld } from "../../testing/election/small-world.ts";
import type { PoleMessage } from "./message.ts";
import { PoleElection } from "./pole.ts";
import { initialState, type PoleState } from "./state.ts";
import { heirOf } from "./succession.ts";

const p = serverId;

/** p1, which follows p5 in round 1 and is told that p4 is the heir. */
function led(heir: number | null = 4, options = {}): Soloist {
  const p1 = new Soloist({ knownDown: true, succession: true, ...options });
  p1.elect();
  for (const other of [2, 3, 4]) p1.hearProposal(other, 1, other);
  p1.hearProposal(5, 1, 50);
  p1.isLed(5);
  if (heir !== null) p1.hear(5, { kind: "heir", round: round(1), heir: p(heir) });
  return p1;
}

suite("one server", () => {
  test("who is led tells its leader how good it would be, and again when that has changed", () => {
    let score = 10;
    const judge = { ...scripted({ score: 0 }), score: () => [score] };
    const p1 = new Soloist({ knownDown: true, succession: true, judge });
    p1.elect();
    for (const other of [2, 3, 4]) p1.hearProposal(other, 1, other);
    p1.hearProposal(5, 1, 50);
    assert.deepEqual(p1.isLed(5), ["arm standing 200", "S1 (10) -> p5"]);
    assert.deepEqual(p1.fire("standing"), ["arm standing 200"]);
    score = 12;
    assert.deepEqual(p1.fire("standing"), ["arm standing 200", "S1 (12) -> p5"]);
  });

  test("a leader tells all whom it takes for the best, and each that comes late", () => {
    const p1 = new Soloist({ knownDown: true, succession: true, judge: scripted({ score: 99 }) });
    p1.elect();
    for (const other of [2, 3, 4, 5]) p1.hearProposal(other, 1, other);
    p1.isLed(1);
    const stands = (from: number, score: number) =>
      p1.hear(from, { kind: "standing", round: round(1), score: [score] });
    assert.deepEqual(stands(2, 20), ["H1 p2 -> p2 p3 p4 p5"]);
    assert.deepEqual(stands(3, 30), ["H1 p3 -> p2 p3 p4 p5"]);
    assert.deepEqual(stands(4, 25), ["H1 p3 -> p4"]);
    p1.lose(3);
    assert.deepEqual(p1.fire("standing"), ["arm standing 200", "H1 p4 -> p2 p3 p4 p5"]);
  });

  test("as good but for noise, the heir stays", () => {
    const standings = [
      { server: p(2), score: [1000] },
      { server: p(3), score: [1005] },
    ];
    const judge = scripted({ score: 0 });
    assert.equal(heirOf(judge, standings, [], p(2)), 2);
    assert.equal(heirOf(judge, standings, [], null), 3);
    assert.equal(heirOf(judge, [{ server: p(2), score: [900] }, ...standings.slice(1)], [], p(2)), 3);
    assert.equal(heirOf(judge, standings, [p(2), p(3)], p(2)), null);
  });

  test("the heir of a leader whose connection ended is followed at once", () => {
    const p1 = led();
    p1.lose(5);
    const deeds = p1.elect();
    assert.ok(deeds.includes("elects p4 in 2"));
    assert.deepEqual(
      deeds.filter((deed) => deed.includes("->")),
      ["V2 p4 -> p4"],
    );
  });

  test("the heir itself says so", () => {
    const p1 = led(1);
    p1.lose(5);
    const deeds = p1.elect();
    assert.ok(deeds.includes("elects p1 in 2") && deeds.includes("P2 p1 (10) -> p2 p3 p4 p5"));
  });

  const whole: readonly (readonly [why: string, p1: () => Soloist])[] = [
    ["no heir was told", () => led(null)],
    ["the leader is in reach", () => led()],
    ["the heir is dead too", () => after(led(), (p1) => [p1.lose(5), p1.lose(4)])],
    ["it is switched off", () => after(led(4, { succession: false }), (p1) => p1.lose(5))],
    ["to the letter", () => after(led(4, { knownDown: false }), (p1) => p1.lose(5))],
    ["the heir did not come to lead", () => after(led(), (p1) => [p1.lose(5), p1.elect()])],
  ];
  for (const [why, made] of whole) {
    test(`a full election: ${why}`, () => {
      assert.ok(
        made()
          .elect()
          .some((deed) => /^P[23] p1 \(10\)/.test(deed)),
      );
    });
  }

  test("who does not know that it is the heir is called by a quorum", () => {
    const p1 = led(null);
    p1.lose(5);
    p1.elect();
    assert.deepEqual(p1.hearVote(2, 2, 1), []);
    assert.ok(p1.hearVote(3, 2, 1).includes("elects p1 in 2"));
  });

  test("votes of who has not noticed that a leader leads no more do not call it back", () => {
    const p1 = new Soloist({ knownDown: true, succession: true, judge: scripted({ score: 99 }) });
    p1.elect();
    for (const other of [2, 3, 4, 5]) p1.hearProposal(other, 1, other);
    p1.isLed(1);
    p1.elect();
    for (const other of [2, 3, 4]) assert.deepEqual(p1.hearVote(other, 1, 1), []);
  });

  test("another's word that it is the heir counts for nothing", () => {
    const p1 = led(null);
    p1.hear(3, { kind: "heir", round: round(1), heir: p(3) });
    p1.lose(5);
    assert.ok(p1.elect().includes("P2 p1 (10) -> p2 p3 p4 p5"));
  });

  test("an heir gives in to who follows another, or to a leader that is back", () => {
    const heir = (): Soloist => after(led(1), (p1) => [p1.lose(5), p1.elect()]);
    assert.deepEqual(heir().hearVote(2, 1, 5), []);
    assert.deepEqual(heir().hearVote(2, 2, 4), ["deposed: server 2 follows server 4"]);
    assert.ok(heir().connect(5).includes("deposed: the leader that it succeeds is back"));
    assert.deepEqual(after(heir(), (p1) => p1.isLed(1)).hearVote(2, 2, 4), []);
  });
});

/** Three that follow p3, who is the heir to each, and p3 dies. */
function everything(heirs: Readonly<Record<number, number>>) {
  const servers = ensemble([1, 2, 3]);
  const ledBy3 = (self: ServerId): PoleState => ({
    ...initialState(milliseconds(200)),
    phase: "following",
    round: round(1),
    leader: p(3),
    followed: { round: round(1), leader: p(3) },
    led: true,
    proposal: { kind: "proposal", round: round(1), score: [30], candidate: p(3) },
    heir: heirs[self] === undefined ? null : p(heirs[self]),
  });
  return explore(
    new SmallWorld<PoleMessage, PoleState>({
      servers,
      timersFire: "quiet",
      crashes: 1,
      dead: p(3),
      heirs: true,
      askAgain: 4,
      retries: 1,
      enter: (self, state) => {
        const judge = scripted({ score: self * 10 });
        const automaton = new PoleElection(
          { self, servers, judge, knownDown: true, succession: true },
          state ?? ledBy3(self),
        );
        return { automaton, state: () => automaton.state };
      },
      complainOfEnd: (leaders) => {
        const [leader] = leaders.values();
        const agree = leader && leaders.has(leader) && new Set(leaders.values()).size === 1;
        return agree ? null : [...leaders].map(([server, of]) => `p${server}: p${of}`).join(", ");
      },
    }),
  );
}

suite("three servers, and everything that can happen to them", () => {
  for (const [what, heirs] of [
    ["all know one heir", { 1: 2, 2: 2 }],
    ["one has heard of none", { 1: 2 }],
    ["the heir has not heard of it", { 2: 1 }],
    ["each takes itself for it", { 1: 1, 2: 2 }],
    ["each takes the other for it", { 1: 2, 2: 1 }],
  ] as const) {
    test(`${what}: they agree on one that lives`, () => {
      assert.equal(everything(heirs).complaint, null);
    });
  }
});

function after(p1: Soloist, deed: (p1: Soloist) => unknown): Soloist {
  deed(p1);
  return p1;
}
