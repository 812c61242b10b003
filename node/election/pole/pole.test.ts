// Where POLE here goes beyond the paper's listing or reads it in one of two ways; pole.paper.test.ts has the
// rest.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { instant, milliseconds } from "../../core/time.ts";
import { elections } from "../catalog.ts";
import { PoleElection } from "./pole.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { type Deeds, FIVE, Soloist } from "../../testing/election/pole/soloist.ts";

const electedIn = (deeds: Deeds) => deeds.find((deed) => deed.startsWith("elects"));

test("knowing that p5 is down, the proposals of the other four are all there is to wait for", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.lose(5);
  p1.elect();
  p1.hearProposal(2, 1, 20);
  p1.hearProposal(3, 1, 30);
  assert.equal(electedIn(p1.hearProposal(4, 1, 15)), "elects p3 in 1");
});

test("learning that the last missing server is down ends the wait", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.elect();
  for (const other of [2, 3, 4]) p1.hearProposal(other, 1, other);
  assert.equal(electedIn(p1.lose(5)), "elects p1 in 1");
});

test("the paper to the letter waits for a dead server as for any other", () => {
  const p1 = new Soloist({ knownDown: false });
  p1.lose(5);
  p1.elect();
  for (const other of [2, 3, 4]) assert.equal(electedIn(p1.hearProposal(other, 1, other)), undefined);
});

test("a server that is back is waited for again, and one never seen is not known to be down", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.lose(5);
  p1.connect(5);
  p1.elect();
  for (const other of [2, 3, 4]) assert.equal(electedIn(p1.hearProposal(other, 1, other)), undefined);
  assert.equal(electedIn(p1.hearProposal(5, 1, 1)), "elects p1 in 1");
});

test("fewer than a quorum decide nothing, however many are down", () => {
  const p1 = new Soloist({ knownDown: true });
  for (const other of [3, 4, 5]) p1.lose(other);
  p1.elect();
  assert.equal(electedIn(p1.hearProposal(2, 1, 20)), undefined);
});

test("an old proposal or a vote tells no score of this round: its sender is waited for", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.lose(5);
  p1.elect();
  p1.elect();
  p1.hearProposal(2, 2, 20);
  p1.hearProposal(3, 2, 30);
  assert.equal(electedIn(p1.hearProposal(4, 1, 40)), undefined);
  assert.equal(electedIn(p1.hearVote(4, 1, 4)), undefined);
  assert.equal(electedIn(p1.hearProposal(4, 2, 15)), "elects p3 in 2");
});

test("a candidate that dies during the election ends the round, and another begins at once", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.elect();
  p1.hearProposal(2, 1, 20);
  p1.hearProposal(5, 1, 50);
  const deeds = p1.lose(5);
  assert.deepEqual(
    deeds.filter((deed) => deed.startsWith("P")),
    ["P2 p1 (10) -> p2 p3 p4 p5"],
  );
  for (const other of [2, 3]) p1.hearProposal(other, 2, 10 * other);
  assert.equal(electedIn(p1.hearProposal(4, 2, 15)), "elects p3 in 2");
});

test("so does the proposal of one that has not noticed that its candidate is dead; once", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.lose(5);
  p1.elect();
  assert.ok(p1.hearProposal(2, 1, 50, 5).includes("P2 p1 (10) -> p2 p3 p4 p5"));
  // p5 may be in reach of p2 all the same.
  assert.ok(p1.hearProposal(2, 2, 50, 5).includes("P2 p5 (50) -> p2 p3 p4 p5"));
  p1.connect(5);
  assert.ok(p1.lose(5).includes("P3 p1 (10) -> p2 p3 p4 p5"));
});

test("to the letter a dead candidate is elected, and waited for", () => {
  const p1 = new Soloist({ knownDown: false });
  p1.elect();
  p1.hearProposal(2, 1, 20);
  p1.hearProposal(5, 1, 50);
  p1.lose(5);
  assert.equal(electedIn(p1.fire("election")), "elects p5 in 1");
});

test("the vote of a leader counts until its connection ends", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.elect();
  p1.hearVote(5, 1, 5);
  p1.hearVote(4, 1, 5);
  p1.lose(5);
  assert.equal(electedIn(p1.hearVote(3, 1, 5)), undefined);
});

test("T follows the distance of whoever is missing, within bounds; to the letter it does not", () => {
  const waits = (knownDown: boolean, ms: number) => {
    const reach = (server: number) => milliseconds(server === 5 ? ms : 10);
    const p1 = new Soloist({ knownDown, reach });
    p1.elect();
    p1.hearProposal(2, 1, 2);
    return p1.hearProposal(3, 1, 3).find((deed) => deed.startsWith("arm election"));
  };
  assert.equal(waits(true, 20), "arm election 200");
  assert.equal(waits(true, 240), "arm election 480");
  assert.equal(waits(true, 800), "arm election 1600");
  assert.equal(waits(true, 60_000), "arm election 5000");
  assert.equal(waits(false, 800), "arm election 200");
});

test("T counts from the first quorum: later proposals do not put the end off", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(2, 1, 2);
  assert.ok(p1.hearProposal(3, 1, 3).includes("arm election 200"));
  assert.ok(!p1.hearProposal(4, 1, 30).includes("arm election 200"));
});

test("the timer of one round does not end the next", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(2, 1, 2);
  p1.hearProposal(3, 1, 3);
  assert.ok(p1.hearProposal(4, 2, 30).includes("disarm election"));
});

test("votes that come after a leader was chosen change nothing", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(2, 1, 2);
  p1.hearProposal(3, 1, 3);
  p1.fire("election");
  for (const other of [2, 3, 4]) assert.deepEqual(p1.hearVote(other, 7, 4), []);
});

test("who elected itself, and does not lead yet, goes over to whom a quorum follows", () => {
  const chosen = (knownDown: boolean) => {
    const p1 = new Soloist({ knownDown });
    p1.elect();
    p1.hearProposal(2, 1, 2);
    p1.hearProposal(3, 1, 3);
    assert.equal(electedIn(p1.fire("election")), "elects p1 in 1");
    return p1;
  };
  const votes = (p1: Soloist) => [2, 3, 4].map((other) => electedIn(p1.hearVote(other, 7, 4)));
  assert.deepEqual(votes(chosen(true)), [undefined, undefined, "elects p4 in 7"]);
  assert.deepEqual(votes(chosen(false)), [undefined, undefined, undefined]);
  const leader = chosen(true);
  leader.isLed(1);
  assert.deepEqual(votes(leader), [undefined, undefined, undefined]);
});

test("a vote that came before it chose itself counts then too", () => {
  const p1 = new Soloist({ knownDown: true });
  p1.elect();
  p1.hearVote(2, 7, 4);
  p1.hearVote(4, 7, 4);
  p1.hearProposal(3, 1, 3);
  p1.hearProposal(5, 1, 5);
  assert.equal(electedIn(p1.fire("election")), "elects p1 in 1");
  assert.equal(electedIn(p1.hearVote(3, 7, 4)), "elects p4 in 7");
});

test("a server's later vote takes its earlier one back", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearVote(2, 7, 4);
  p1.hearVote(3, 7, 4);
  p1.hearVote(3, 8, 5);
  assert.equal(electedIn(p1.hearVote(4, 7, 4)), undefined);
});

test("servers that came to one leader in different rounds still bring a latecomer to it", () => {
  const latecomer = (knownDown: boolean) => {
    const p1 = new Soloist({ knownDown });
    p1.elect();
    p1.hearVote(2, 3, 4);
    p1.hearVote(4, 6, 4);
    return electedIn(p1.hearVote(5, 3, 4));
  };
  assert.equal(latecomer(true), "elects p4 in 6", "in the round of the leader itself");
  assert.equal(latecomer(false), undefined);
});

test("only a first score is waited for: later a server takes part with what it knows", () => {
  let ready = true;
  const p1 = new Soloist({ judge: scripted({ score: 10, ready: () => ready }) });
  p1.elect();
  ready = false;
  assert.ok(p1.elect().includes("scores (10) in 2"));
});

test("anything that happens asks the oracle again whether it knows enough", () => {
  let ready = false;
  const p1 = new Soloist({ judge: scripted({ score: 10, ready: () => ready }) });
  p1.elect();
  ready = true;
  assert.deepEqual(p1.turn(), ["scores (10) in 1", "P1 p1 (10) -> p2 p3 p4 p5"]);
});

test("proposals from before the first score are not kept: their round may be over by then", () => {
  let ready = false;
  const p1 = new Soloist({ servers: FIVE.slice(0, 3), judge: scripted({ score: 10, ready: () => ready }) });
  p1.elect();
  p1.hearProposal(2, 1, 7);
  p1.hearProposal(3, 1, 8);
  ready = true;
  assert.equal(electedIn(p1.turn()), undefined);
});

test("a server that was never asked to elect keeps still", () => {
  const p1 = new Soloist();
  assert.deepEqual(p1.hearProposal(2, 3, 7), []);
  assert.deepEqual(p1.turn(), []);
});

test("a server that connects during an election is told at once what it missed", () => {
  const p1 = new Soloist();
  p1.elect();
  p1.hearProposal(3, 1, 30);
  assert.deepEqual(p1.connect(5), ["P1 p3 (30) -> p5"]);
});

test("a server alone elects itself at once", () => {
  const alone = new Soloist({ servers: [serverId(1)] });
  assert.equal(alone.elect().at(-1), "elects p1 in 1");
});

test("who proposes or follows a server that does not exist, or scores no number, is hung up on", () => {
  const p1 = new Soloist();
  p1.elect();
  const stranger = (kind: string) => `its ${kind} names server 9, which is not of the ensemble`;
  assert.deepEqual(p1.hearProposal(2, 1, 99, 9), [`close p2: ${stranger("proposal")}`]);
  assert.deepEqual(p1.hearVote(3, 1, 9), [`close p3: ${stranger("vote")}`]);
  assert.deepEqual(p1.hearProposal(2, 1, Number.NaN), [
    "close p2: its proposal has a score that is not a number",
  ]);
});

test("a copy of a server's state goes on as the server does", () => {
  const options = { self: serverId(1), servers: FIVE, judge: scripted({ score: 10 }) };
  const p1 = new PoleElection(options);
  p1.step({ kind: "request", request: { kind: "elect" } }, instant(0));
  const copy = new PoleElection(options, p1.state);
  const again = { kind: "timeout", timer: "retry" } as const;
  assert.deepEqual(copy.step(again, instant(1)), p1.step(again, instant(1)));
});

test("the catalog makes what it promises", () => {
  const judge = scripted({ score: 10 });
  const seat = { self: serverId(1), servers: FIVE, judge, mutant: null };
  const options = { electionTimeout: milliseconds(200), knownDown: true, succession: true };
  const election = elections.pole.create(seat, options);
  assert.ok(election instanceof PoleElection);
});

test("mutant follow-without-leaders-vote follows a leader that only others vote for", () => {
  const p1 = new Soloist({ mutant: "follow-without-leaders-vote" });
  p1.elect();
  p1.hearVote(2, 7, 5);
  p1.hearVote(3, 7, 5);
  assert.equal(electedIn(p1.hearVote(4, 7, 5)), "elects p5 in 7");
});

test("mutant ties-without-id keeps its own proposal when an equal score comes from a higher id", () => {
  const p1 = new Soloist({ mutant: "ties-without-id" });
  p1.elect();
  p1.hearProposal(2, 1, 10);
  p1.hearProposal(3, 1, 10);
  assert.equal(electedIn(p1.fire("election")), "elects p1 in 1");
});
