// lane: works, 2 s
//
// Announce-listen over Zab on paper: who speaks when, who is followed, and what a wrong guess does. Five
// servers, 10 ms apart unless told otherwise; the score of each is ten times its number.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { type Duration, instant, milliseconds } from "../../core/time.ts";
import { epoch } from "../../core/zxid.ts";
import { countsOf, deployment1, ids, outcomeOf, timesOf } from "../../testing/election/peer-cast.ts";
import { Rehearsal } from "../../testing/election/rehearsal.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { sayLe } from "../../testing/election/le/say.ts";
import { valuesOf } from "../catalog.ts";
import { le } from "./entry.ts";
import type { LeOptions } from "./le.ts";
import type { LeMessage } from "./message.ts";

const ms = milliseconds;
const [p1, p2, p3, p4, p5] = ids(1, 2, 3, 4, 5) as [ServerId, ServerId, ServerId, ServerId, ServerId];
const ALL = [p1, p2, p3, p4, p5];

interface Setting extends Partial<Pick<LeOptions, "suppress" | "mapped" | "quorum" | "mutant">> {
  readonly size?: number;
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
}

function rehearse(setting: Setting = {}): Rehearsal<LeMessage> {
  const { size = 5, delay = () => ms(10), mutant = null, ...more } = setting;
  const servers = ensemble(Array.from({ length: size }, (_, index) => index + 1));
  const options = { ...valuesOf({ name: "le" }), ...more } as Parameters<typeof le.create>[1];
  return new Rehearsal<LeMessage>({
    say: sayLe,
    servers,
    delay,
    enter: (self) => le.create({ self, servers, judge: scripted({ score: 10 * self }), mutant }, options),
  });
}

/** How many claims were said to somebody, from one time to another. */
const claims = ({ sent }: Rehearsal<LeMessage>, from: number, to: number): number =>
  sent.filter(({ at, message }) => message.kind === "claim" && at >= ms(from) && at <= ms(to)).length;

suite("who speaks, and how often", () => {
  test("the best speaks at once, and all others are silent: N - 1 messages, one way", () => {
    const play = rehearse()
      .start(ms(0), ...ALL)
      .play(ms(200));
    assert.deepEqual(outcomeOf(play), ["p1: p5", "p2: p5", "p3: p5", "p4: p5", "p5: p5"]);
    assert.deepEqual(timesOf(play, ms(0)), [0, 10]);
    assert.deepEqual(countsOf(play), { claim: 4, worth: 4 });
  });

  test("when the leader dies the next best speaks as soon as it notices", () => {
    const play = rehearse()
      .start(ms(0), ...ALL)
      .crash(ms(1000), p5)
      .play(ms(1200));
    assert.deepEqual(outcomeOf(play), ["p1: p4", "p2: p4", "p3: p4", "p4: p4"]);
    assert.deepEqual(timesOf(play, ms(1000)), [10, 20]);
    assert.equal(claims(play, 1001, 1200), 3);
  });

  test("over Deployment 1 that is one way from the next best, as with POLE", () => {
    const play = rehearse({ delay: deployment1 })
      .start(ms(0), ...ALL)
      .crash(ms(1000), p5)
      .play(ms(2000));
    assert.deepEqual(timesOf(play, ms(1000)), [0.05, 38.58]);
  });

  test("with T_S = 0 everybody speaks at once: N (N - 1) messages, and wrong guesses", () => {
    const play = rehearse({ suppress: ms(0) })
      .start(ms(0), ...ALL)
      .play(ms(200));
    assert.deepEqual(outcomeOf(play), ["p1: p5", "p2: p5", "p3: p5", "p4: p5", "p5: p5"]);
    assert.equal(claims(play, 0, 200), 20);
    assert.ok(play.transcript.includes("p1  ELECTS p1"));
  });

  test("by chance whoever wakes is corrected by who is better, within a way and back", () => {
    const play = rehearse({ mapped: false })
      .start(ms(0), ...ALL)
      .play(ms(500));
    assert.deepEqual(outcomeOf(play), ["p1: p5", "p2: p5", "p3: p5", "p4: p5", "p5: p5"]);
    const first = play.sent.find(({ message }) => message.kind === "claim") ?? assert.fail();
    assert.deepEqual(
      [...play.elected.values()].map(({ at }) => at <= first.at + ms(20)),
      ALL.map(() => true),
    );
  });

  test("what all have heard of a worth holds for the next silence", () => {
    const servers = ensemble([1, 2, 3]);
    // The smaller the number, the better: at the beginning nobody knows.
    const play = new Rehearsal<LeMessage>({
      say: sayLe,
      servers,
      delay: () => ms(10),
      enter: (self) =>
        le.create(
          { self, servers, judge: scripted({ score: 10 - self }), mutant: null },
          valuesOf({ name: "le" }) as Parameters<typeof le.create>[1],
        ),
    });
    play.start(ms(0), p1, p2, p3).play(ms(900));
    assert.deepEqual(outcomeOf(play), ["p1: p1", "p2: p1", "p3: p1"]);
    play.crash(ms(1000), p1).play(ms(1500));
    assert.deepEqual(outcomeOf(play), ["p2: p2", "p3: p2"]);
    assert.deepEqual(timesOf(play, ms(1000)), [10, 20], "p2 spoke at once, and p3 was silent");
  });
});

suite("guesses", () => {
  test("cut apart, a half without a quorum claims nothing", () => {
    const play = rehearse().start(ms(0), ...ALL);
    play.cut(ms(1000), [p1, p2, p3], [p4, p5]).elect(ms(1100), p4, p5).play(ms(3000));
    for (const server of [p1, p2, p3]) assert.equal(play.elected.get(server)?.leader, p3);
    assert.ok((play.elected.get(p5)?.at ?? 0) < ms(1000));
  });

  test("and as in the thesis both halves have a leader; when they meet again, the greater leads all", () => {
    const play = rehearse({ quorum: false }).start(ms(0), ...ALL);
    play.cut(ms(1000), [p1, p2, p3], [p4, p5]).elect(ms(1100), p4, p5).play(ms(3000));
    assert.deepEqual(outcomeOf(play), ["p1: p3", "p2: p3", "p3: p3", "p4: p5", "p5: p5"]);
    play.mend(ms(3100), [p1, p2, p3], [p4, p5]).play(ms(3200));
    assert.deepEqual(outcomeOf(play), ["p1: p5", "p2: p5", "p3: p5", "p4: p5", "p5: p5"]);
  });

  test("who serves is unseated by nobody: the greatest comes back, is told, and follows", () => {
    const play = rehearse().start(ms(0), p1, p2, p3, p4).serve(ms(500), p4, epoch(1));
    play.start(ms(1000), p5).play(ms(3000));
    assert.deepEqual(
      outcomeOf(play),
      ALL.map((server) => `p${server}: p4`),
    );
  });

  test("of two that serve the later epoch is followed, however good the other", () => {
    const play = rehearse({ size: 3 }).start(ms(0), p1, p2, p3).serve(ms(100), p3, epoch(1));
    play.cut(ms(500), [p1, p2], [p3]).play(ms(900)).serve(ms(900), p2, epoch(2));
    play.mend(ms(1000), [p1, p2], [p3]).elect(ms(1100), p3).play(ms(2000));
    assert.deepEqual(outcomeOf(play), ["p1: p2", "p2: p2", "p3: p2"]);
  });

  test("a leader that does not serve yet and falls silent is left after T_L", () => {
    const play = rehearse({ size: 3 }).start(ms(0), p1, p2, p3).isolate(ms(600), p3).play(ms(3000));
    assert.equal(play.elected.get(p1)?.leader, p2);
    // Last heard at 510 ms, and p2 is the second of three for all it knows.
    const missed = play.elected.get(p2)?.at ?? 0;
    assert.ok(missed >= ms(1510) && missed <= ms(1560), `at ${missed}`);
  });

  test("a claim in another's name, or that names a stranger, ends the connection", () => {
    const servers = ensemble([1, 2, 3]);
    const seat = { self: p1, servers, judge: scripted({ score: 1 }), mutant: null };
    const key = (server: number) => ({ score: [1], server: serverId(server) });
    const claim = { kind: "claim", round: 1 as never, epoch: epoch(0), key: key(2), keys: [] } as const;
    const told = (
      [
        { ...claim, key: key(3) },
        { ...claim, keys: [key(9)] },
      ] as const
    ).map((message) =>
      le
        .create(seat, valuesOf({ name: "le" }) as Parameters<typeof le.create>[1])
        .step({ kind: "message", from: p2, message }, instant(0)),
    );
    assert.deepEqual(told.flat(), [
      { kind: "close", server: p2, reason: "its claim is in the name of server 3" },
      { kind: "close", server: p2, reason: "its claim names server 9, which is not of the ensemble" },
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

  shows(
    "claim-not-repeated",
    (mutant) => {
      const play = rehearse({ mutant, size: 3 }).start(ms(0), p1, p2, p3).elect(ms(1000), p1);
      return outcomeOf(play.play(ms(5000))).join();
    },
    "p1: p3,p2: p3,p3: p3",
  );
  shows(
    "claim-without-epoch",
    (mutant) => {
      const play = rehearse({ mutant }).start(ms(0), p1, p2, p3, p4).serve(ms(500), p4, epoch(1));
      return outcomeOf(play.start(ms(1000), p5).play(ms(3000))).join();
    },
    "p1: p4,p2: p4,p3: p4,p4: p4,p5: p4",
  );
});
