// Leases of a majority vote: no two masters at once, as long as clocks drift no more than was allowed for.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ensemble, type ServerId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { milliseconds as ms } from "../../core/time.ts";
import { countsOf, ids } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { sayVote } from "../../testing/election/vote/say.ts";
import { flawOfChoice, valuesOf } from "../catalog.ts";
import { vote } from "./entry.ts";
import type { MajoritySays } from "./message.ts";

const [p1, p2, p3] = ids(1, 2, 3) as [ServerId, ServerId, ServerId];
const servers = ensemble([1, 2, 3]);

/** A fifth: the greatest lease that a promise of 1200 ms allows is 1000 ms. */
const options = {
  standDelay: ms(50),
  sitOut: ms(1200),
  leaderWait: ms(300),
  promise: ms(1200),
  lease: ms(1000),
  drift: 200_000,
};

interface Clocks {
  /** How fast the clock of the first master goes. */
  readonly master: number;
  /** And those of the others. */
  readonly others: number;
  /** Between the first master and the others, in milliseconds. */
  readonly oneWay?: number;
  readonly mutant?: Mutant | null;
}

/**
 * p3 leads by leases; then the others hear nothing of it, and it nothing of them, and their services look for
 * another leader at once.
 */
function cutOff(
  { master, others, oneWay = 10, mutant = null }: Clocks,
  at = 20_000,
): Rehearsal<MajoritySays> {
  const values = valuesOf({ name: "vote", options }) as Parameters<typeof vote.create>[1];
  const play = new Rehearsal<MajoritySays>({
    say: sayVote,
    servers,
    delay: (from, to) => ms(from === p3 || to === p3 ? oneWay : 1),
    rate: (server) => (server === p3 ? master : others),
    enter: (self) => vote.create({ self, servers, judge: scripted({ score: self }), mutant }, values),
  });
  play.enter(ms(0), p1, p2, p3).elect(ms(2000), p3).play(ms(at));
  assert.deepEqual(
    [...play.elected.values()].map(({ leader }) => leader),
    [p3, p3, p3],
  );
  return play
    .isolate(ms(at), p3)
    .elect(ms(at + 10), p1, p2)
    .play(ms(60_000));
}

/** Are there two masters at once, whenever between two renewals it is cut off? */
const overlaps = (clocks: Clocks): boolean =>
  Array.from({ length: 25 }, (_, index) => 20_000 + 20 * index).some((at) => overlap(cutOff(clocks, at)));

function overlap({ reigns }: Rehearsal<MajoritySays>): boolean {
  return reigns.some((one, at) =>
    reigns.slice(at + 1).some((later) => one.leader !== later.leader && later.from < (one.until ?? Infinity)),
  );
}

suite("a master that is cut off", () => {
  test("leads no more when its lease has ended, and the next leads after that", () => {
    const play = cutOff({ master: 1, others: 1 });
    const [first, second] = [play.reigns.at(0), play.reigns.at(-1)];
    assert.ok(first?.leader === p3 && second !== undefined && second.leader !== p3);
    assert.ok(first.until !== null && first.until < second.from);
    // It had asked for the last time a third of its lease before, at most.
    assert.ok(first.until <= ms(21_000) && first.until > ms(20_600), String(first.until));
  });

  test("the times of masters are disjoint while clocks drift by no more than was allowed", () => {
    for (const [master, others] of [
      [1, 1],
      [1, 1.2],
      [1 / 1.2, 1],
      [0.95, 1.1],
      [1.2, 1],
    ] as const)
      assert.equal(overlaps({ master, others }), false, `${master} and ${others}`);
  });

  test("and no more beyond", () => {
    assert.equal(overlaps({ master: 0.5, others: 1.2 }), true);
  });

  test("who counts from the answer, or promises nothing, is found out", () => {
    // The way there and back is what the first mistake adds to the lease.
    const slow = { master: 1 / 1.2, others: 1, oneWay: 120 } as const;
    assert.equal(overlaps(slow), false);
    assert.equal(overlaps({ ...slow, mutant: "lease-from-answer" }), true);
    assert.equal(overlaps({ master: 1, others: 1, mutant: "promise-forgotten" }), true);
  });
});

test("a renewal costs 2 (n - 1) messages, three times a lease", () => {
  const values = valuesOf({ name: "vote", options }) as Parameters<typeof vote.create>[1];
  const enter = (self: ServerId) =>
    vote.create({ self, servers, judge: scripted({ score: self }), mutant: null }, values);
  const play = new Rehearsal<MajoritySays>({ say: sayVote, servers, delay: () => ms(10), enter });
  play.start(ms(0), p1, p2, p3).play(ms(30_000));
  const counts = countsOf(play, ms(20_000));
  assert.deepEqual(Object.keys(counts).sort(), ["kept", "renew"]);
  assert.equal(counts["kept"], counts["renew"]);
  assert.ok([58, 60].includes(counts["renew"] ?? 0), `${counts["renew"]}`);
  assert.equal(play.reigns.length, 1, "and it leads all the time");
});

test("a lease that the drift of clocks does not allow is refused", () => {
  const flaw = (changed: Partial<typeof options>) =>
    flawOfChoice({ name: "vote", options: { ...options, ...changed } });
  assert.equal(flaw({}), null);
  assert.match(
    flaw({ lease: ms(1001) }) ?? "",
    /^a lease of 1001 ms is too long: .* clocks that drift by 200000 millionths it is 1000 ms at most$/,
  );
});
