// What the paper says of POLE in sections 3 and 5, as tests; knownDown is off, the paper to the letter.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import { microseconds, milliseconds } from "../../core/time.ts";
import type { PoleMessage } from "./message.ts";
import { PoleElection } from "./pole.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { sayPole } from "../../testing/election/pole/say.ts";
import { Soloist } from "../../testing/election/pole/soloist.ts";

const all = "p2 p3 p4 p5";

// 3.2
test("once new-election is called, a process asks its oracle for a score and broadcasts its proposal", () => {
  const p1 = new Soloist();
  assert.deepEqual(p1.elect(), ["arm retry 200", "scores (10) in 1", `P1 p1 (10) -> ${all}`]);
});

// 3.2
test("a process that receives a greater proposal overwrites its own and repeats the broadcast", () => {
  const p1 = new Soloist();
  p1.elect();
  assert.deepEqual(p1.hearProposal(3, 1, 30), [`P1 p3 (30) -> ${all}`]);
  assert.deepEqual(p1.fire("retry").at(0), `P1 p3 (30) -> ${all}`);
});

// Algorithm 1, lines 37 and 38
test("who sends a lesser proposal is sent the greater one", () => {
  const p1 = new Soloist();
  p1.elect();
  assert.deepEqual(p1.hearProposal(2, 1, 5), ["P1 p1 (10) -> p2"]);
});

// 3.2
test("proposals are ordered first by epoch, then by score, and finally by id", () => {
  const meets = (inRound: number, score: number, from: number) => {
    const p3 = new Soloist({ self: serverId(3) });
    p3.elect();
    p3.elect();
    return p3.hearProposal(from, inRound, score);
  };
  const greater = (deeds: readonly string[]) => deeds.some((deed) => deed.startsWith("P2 p3") === false);
  assert.equal(greater(meets(1, 99, 5)), false, "an earlier epoch is less, whatever the score");
  assert.equal(greater(meets(2, 9, 5)), false, "a worse score is less, whatever the id");
  assert.equal(greater(meets(2, 10, 2)), false, "with the same score the lower id is less");
  assert.equal(greater(meets(2, 10, 4)), true, "with the same score the higher id is greater");
  assert.equal(greater(meets(2, 11, 1)), true, "a better score is greater, whatever the id");
  assert.equal(greater(meets(3, 1, 1)), true, "a later epoch is greater, whatever the score");
});

// 3.2
test("get-score receives the current epoch as an argument", () => {
  const p1 = new Soloist({ judge: scripted({ score: (round) => (round % 2 === 0 ? 1 : 0) }) });
  assert.equal(p1.elect()[1], "scores (0) in 1");
  assert.equal(p1.elect().at(-2), "scores (1) in 2");
});

// Algorithm 1, lines 44 to 48
test("a process that hears of a later epoch joins it with a new score, and with the greater proposal", () => {
  const p1 = new Soloist({ judge: scripted({ score: (round) => round * 10 }) });
  p1.elect();
  assert.deepEqual(p1.hearProposal(2, 4, 30), ["scores (40) in 4", `P4 p1 (40) -> ${all}`]);
  assert.deepEqual(p1.hearProposal(3, 5, 60), ["scores (50) in 5", `P5 p3 (60) -> ${all}`]);
});

// 3.2
test("a process that received proposals from all elects the highest immediately", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(2, 1, 7);
  p1.hearProposal(3, 1, 30);
  p1.hearProposal(4, 1, 20);
  assert.equal(p1.hearProposal(5, 1, 9).at(-1), "elects p3 in 1");
});

// 3.2
test("with proposals from a quorum a process starts the election timer, which ends the election", () => {
  const p1 = new Soloist();
  p1.elect();
  assert.ok(!p1.hearProposal(2, 1, 7).some((deed) => deed.startsWith("arm election")), "two are no quorum");
  assert.equal(p1.hearProposal(3, 1, 30).at(-1), "arm election 200");
  assert.equal(p1.fire("election").at(-1), "elects p3 in 1");
});

// Algorithm 1, lines 49 and 65
test("an old proposal and a vote show too that their sender is there", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.elect();
  assert.ok(!p1.hearProposal(2, 1, 99).includes("arm election 200"));
  assert.deepEqual(p1.hearVote(3, 1, 3), ["arm election 200"]);
});

// 3.2
test("the returned leader may be a process that crashed after broadcasting its proposal", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(5, 1, 50);
  p1.hearProposal(3, 1, 30);
  p1.lose(5);
  assert.equal(p1.fire("election").at(-1), "elects p5 in 1");
  // Failure detection calls new-election.
  assert.equal(p1.elect().at(-1), `P2 p1 (10) -> ${all}`);
});

// 3.2
test("a process that knows who the leader is replies to a proposal with a vote, and stays", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(2, 1, 7);
  p1.hearProposal(3, 1, 30);
  p1.fire("election");
  assert.deepEqual(p1.hearProposal(5, 1, 99), ["V1 p3 -> p5"]);
  assert.deepEqual(p1.hearProposal(5, 8, 99), ["V1 p3 -> p5"]);
});

// 3.2
test("a quorum of votes for one leader in one epoch makes a process believe in it", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearVote(2, 7, 4);
  p1.hearVote(4, 7, 4);
  assert.deepEqual(p1.hearVote(5, 7, 4), ["disarm election", "disarm retry", "elects p4 in 7"]);
  assert.deepEqual(p1.hearProposal(3, 1, 30), ["V7 p4 -> p3"], "and it takes over the epoch");
});

// 3.2
test("votes for different leaders, or of different epochs, do not add up", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearVote(2, 7, 4);
  p1.hearVote(4, 7, 4);
  assert.deepEqual(p1.hearVote(5, 7, 2), []);
  assert.equal(p1.hearVote(3, 6, 4).at(-1), "elects p1 in 1", "all were heard, and only p1 proposed");
});

// Algorithm 1, line 12
test("votes of one epoch do not count in the next", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearVote(2, 7, 4);
  p1.hearVote(4, 7, 4);
  p1.elect();
  assert.ok(!p1.hearVote(5, 7, 4).some((deed) => deed.startsWith("elects")));
});

// 3.2, Algorithm 1, line 60
test("without the leader's own vote no quorum is enough, so that a crashed leader is not reelected", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearVote(2, 7, 5);
  p1.hearVote(3, 7, 5);
  assert.ok(!p1.hearVote(4, 7, 5).some((deed) => deed.startsWith("elects")));
});

// 3.2
test("when an election does not converge, its broadcast is repeated, backing off exponentially", () => {
  const p1 = new Soloist();
  assert.equal(p1.elect()[0], "arm retry 200");
  assert.deepEqual(p1.fire("retry"), [`P1 p1 (10) -> ${all}`, "arm retry 400"]);
  assert.deepEqual(p1.fire("retry"), [`P1 p1 (10) -> ${all}`, "arm retry 800"]);
  assert.equal(p1.elect()[0], "arm retry 200", "a new election begins anew");
  assert.equal(p1.fire("retry").at(-1), "arm retry 400");
});

// 3
test("a partial order relation is also sound: what it leaves open, the ids decide", () => {
  const undecided = { ...scripted({ score: 1 }), compare: () => 0 };
  const p2 = new Soloist({ self: serverId(2), judge: undecided });
  p2.elect();
  p2.hearProposal(1, 1, 99);
  p2.hearProposal(4, 1, 0);
  assert.equal(p2.fire("election").at(-1), "elects p4 in 1");
});

// 5
test("for the first election get-score blocks until there is enough information for a score", () => {
  let ready = false;
  const p1 = new Soloist({ judge: scripted({ score: 10, ready: () => ready }) });
  assert.deepEqual(p1.elect(), ["arm retry 200"]);
  assert.deepEqual(p1.hearProposal(2, 1, 7), [], "a blocked process does not answer");
  assert.deepEqual(p1.fire("retry"), ["arm retry 200"]);
  ready = true;
  assert.deepEqual(p1.fire("retry"), ["arm retry 200", "scores (10) in 1", `P1 p1 (10) -> ${all}`]);
});

// 3
test("in timely runs, where messages are not lost, the process with the highest score leads", () => {
  const run = fc.record({
    scores: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 7 }),
    // T is 200 ms: a proposal, and the better one that answers it, arrive within it from wherever.
    delays: fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 49, maxLength: 49 }),
    starts: fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 7, maxLength: 7 }),
    knownDown: fc.boolean(),
  });
  fc.assert(
    fc.property(run, ({ scores, delays, starts, knownDown }) => {
      const servers = ensemble(scores.map((_, index) => index + 1));
      const scoreOf = (server: ServerId) => scores[server - 1] ?? 0;
      const rehearsal = new Rehearsal<PoleMessage>({
        say: sayPole,
        servers,
        delay: (from, to) => microseconds(delays[(from - 1) * 7 + to - 1] ?? 0),
        enter: (self) =>
          new PoleElection({ self, servers, judge: scripted({ score: scoreOf(self) }), knownDown }),
      });
      rehearsal.enter(milliseconds(0), ...servers);
      for (const server of servers) rehearsal.elect(microseconds(starts[server - 1] ?? 0), server);
      rehearsal.play(milliseconds(2000));
      const best = servers.reduce((a, b) => (scoreOf(b) >= scoreOf(a) ? b : a));
      assert.deepEqual(
        servers.map((server) => rehearsal.elected.get(server)?.leader),
        servers.map(() => best),
      );
    }),
    { numRuns: 300 },
  );
});
