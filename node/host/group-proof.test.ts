import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { memberId } from "../core/identity.ts";
import type { Announcement } from "../election/announce-listen/announcement.ts";
import { groupElections } from "../election/group-catalog.ts";
import type { GroupElectionProtocol } from "../election/group-election.ts";
import { Envelope, LONGEST_DATAGRAM } from "./group-datagram.ts";
import { groupKeyFor, GroupProof } from "./group-proof.ts";

const { codec } = groupElections["le-s"];
const SECRET = "a secret of the group";
const [one, two] = [memberId(1), memberId(2)];
const said = { kind: "announcement", life: 7, number: 1, rank: 0 } as const;
const NOON = 1.8e15;

class Side {
  now = NOON;
  readonly envelope: Envelope<GroupElectionProtocol<Announcement>>;

  constructor(secret: string | null = SECRET) {
    const proof = secret === null ? null : new GroupProof(groupKeyFor(secret), () => this.now);
    this.envelope = new Envelope("group", codec, proof);
  }

  say(from = two): Uint8Array {
    const sealed = this.envelope.seal(from, said);
    assert.ok(sealed.ok);
    return sealed.value;
  }

  /** What becomes of it, in a word. */
  hear(datagram: Uint8Array): string {
    return this.envelope.open(datagram).kind;
  }
}

suite("with a secret", () => {
  test("who knows it is heard, each datagram once", () => {
    const [speaker, listener] = [new Side(), new Side()];
    const [first, second] = [speaker.say(), speaker.say()];
    assert.deepEqual(
      [first, first, second].map((datagram) => listener.hear(datagram)),
      ["message", "replayed", "message"],
    );
  });

  test("what comes late is dropped, so nothing old can be played once more; each sender by itself", () => {
    const [speaker, listener] = [new Side(), new Side()];
    const [early, late, other] = [speaker.say(), speaker.say(), speaker.say(one)];
    assert.deepEqual(
      [late, early].map((datagram) => listener.hear(datagram)),
      ["message", "replayed"],
    );
    assert.equal(listener.hear(other), "message");
  });

  test("who has just begun believes nothing that is a minute old, or of tomorrow", () => {
    const speaker = new Side();
    const old = speaker.say();
    const listener = new Side();
    listener.now = NOON + 61e6;
    assert.equal(listener.hear(old), "replayed");
    listener.now = NOON - 61e6;
    assert.equal(listener.hear(old), "replayed");
    listener.now = NOON + 59e6;
    assert.equal(listener.hear(old), "message");
  });

  test("a new life is heard although its clock stands still, and numbers rise within one", () => {
    const listener = new Side();
    const [first, again] = [new Side(), new Side()];
    assert.equal(listener.hear(first.say()), "message");
    again.now = NOON + 1;
    assert.equal(listener.hear(again.say()), "message");
    assert.equal(listener.hear(again.say()), "message");
  });

  test("another secret, none, and every flipped bit are no proof", () => {
    const listener = new Side();
    assert.equal(listener.hear(new Side("another secret, as long").say()), "forged");
    assert.equal(listener.hear(new Side(null).say()), "forged");
    const honest = new Side().say();
    for (let bit = 0; bit < 8 * honest.length; bit++) {
      const changed = honest.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.notEqual(listener.hear(changed), "message", `bit ${bit}`);
    }
    for (let length = 0; length < honest.length; length++)
      assert.notEqual(listener.hear(honest.subarray(0, length)), "message", `${length} bytes`);
    assert.equal(listener.hear(honest), "message", "and what was refused has used nothing up");
  });

  test("claim 255, forged with a right sum, is dropped", () => {
    const listener = new Side();
    const forged = new Side("whatever somebody guesses").say(memberId(255));
    assert.match(listener.envelope.open(forged).kind, /forged/);
  });
});

test("without a secret anybody is heard, but for those who prove something", () => {
  const listener = new Side(null);
  assert.equal(listener.hear(new Side(null).say()), "message");
  assert.equal(listener.hear(new Side().say()), "stranger");
});

test("a proof leaves room for what elections say", () => {
  assert.ok(new Side().say().length < LONGEST_DATAGRAM / 10);
});
