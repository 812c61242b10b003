// What the rest of the house sees of elections, shown on every election of the catalog.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Effect } from "../core/automaton.ts";
import { ensemble, serverId } from "../core/identity.ts";
import { BLANK } from "../core/recovery.ts";
import { instant, timeOfDay } from "../core/time.ts";
import { type Ballot, type BallotProtocol, ByBallot, readBallot, writeBallot } from "./ballot.ts";
import { type ElectionName, elections, entryOf, valuesOf } from "./catalog.ts";
import { scripted } from "../testing/election/scripted-judge.ts";

const names = Object.keys(elections) as ElectionName[];
const [p1, p2, p3] = [serverId(1), serverId(2), serverId(3)];

/** Server 1 of three, started and connected to the others. */
function seated(name: ElectionName): ByBallot {
  const entry = entryOf(name);
  const seat = {
    self: p1,
    servers: ensemble([1, 2, 3]),
    judge: scripted({ score: 10 }),
    mutant: null,
  };
  const election = new ByBallot(name, entry.codec, entry.create(seat, valuesOf({ name })));
  election.step({ kind: "start", recovered: BLANK, life: 1, timeOfDay: timeOfDay(0) }, instant(0));
  for (const server of [p2, p3]) election.step({ kind: "connected", server }, instant(0));
  return election;
}

const receive = (election: ByBallot, message: Ballot): readonly Effect<BallotProtocol>[] =>
  election.step({ kind: "message", from: p2, message }, instant(0));

for (const name of names) {
  const { codec } = entryOf(name);
  suite(`the election ${name}`, () => {
    for (const [number, example] of codec.examples.entries()) {
      const said = `message ${number} (${JSON.stringify(example)})`;
      const ballot = writeBallot(name, codec, example);

      test(`${said} comes back as it was`, () => {
        assert.deepEqual(readBallot(name, codec, ballot), { ok: true, value: example });
      });

      test(`${said} cut anywhere, or longer by a byte, closes the connection, both elections named`, () => {
        const { body } = ballot;
        const broken = [...body.keys()].map((length) => body.subarray(0, length));
        for (const wrong of [...broken, Uint8Array.of(...body, 0)]) {
          const [effect, ...more] = receive(seated(name), { election: name, body: wrong });
          assert.ok(effect?.kind === "close" && effect.server === p2 && more.length === 0);
          assert.match(
            effect.reason,
            new RegExp(`^its message of the election ${name} is none that ${name} knows`),
          );
        }
      });
    }

    test("another election closes the connection, and both are named", () => {
      const other = { election: "raft", body: Uint8Array.of(1) };
      assert.deepEqual(receive(seated(name), other), [
        {
          kind: "close",
          server: p2,
          reason: `it speaks of the election raft, and this server elects by ${name}`,
        },
      ]);
    });

    test("what it says goes out under its name", () => {
      const election = seated(name);
      const asked = election.step({ kind: "request", request: { kind: "elect" } }, instant(1));
      const [first] = asked.filter((effect) => effect.kind === "arm");
      const later =
        first === undefined ? [] : election.step({ kind: "timeout", timer: first.timer }, instant(1e6));
      const sent = [...asked, ...later].filter((effect) => effect.kind === "send");
      assert.ok(sent.length > 0, "asked to elect among three, it says something, or when its time has come");
      for (const { message } of sent) {
        assert.equal(message.election, name);
        assert.ok(readBallot(name, codec, message).ok);
      }
    });
  });
}
