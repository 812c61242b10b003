// lane: works, 1 s
// A leader that gives its place away names the next: followed at once, unless it is known to be down.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Soloist } from "../../testing/election/pole/soloist.ts";

/** p1, which follows p5 in round 1. */
function led(options = {}): Soloist {
  const p1 = new Soloist({ knownDown: true, ...options });
  p1.elect();
  for (const other of [2, 3, 4]) p1.hearProposal(other, 1, other);
  p1.hearProposal(5, 1, 50);
  p1.isLed(5);
  return p1;
}

suite("whom the leader named", () => {
  test("is followed without a word to anybody else, with and without a standing succession", () => {
    for (const succession of [false, true]) {
      const deeds = led({ succession }).elect(3);
      assert.ok(deeds.includes("elects p3 in 2"), deeds.join(", "));
      assert.deepEqual(
        deeds.filter((deed) => deed.includes("->")),
        ["V2 p3 -> p3"],
      );
    }
  });

  test("leads, and goes on to when the old leader is heard of again", () => {
    for (const succession of [false, true]) {
      const p1 = led({ succession });
      assert.ok(p1.elect(1).includes("elects p1 in 2"));
      assert.deepEqual(p1.connect(5), []);
    }
  });

  test("is not followed when its connection has ended: an election begins", () => {
    const p1 = led();
    p1.lose(3);
    const deeds = p1.elect(3);
    assert.ok(!deeds.some((deed) => deed.startsWith("elects")), deeds.join(", "));
    assert.ok(
      deeds.some((deed) => deed.startsWith("P2")),
      deeds.join(", "),
    );
  });
});
