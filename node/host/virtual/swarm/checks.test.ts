import assert from "node:assert/strict";
import { test } from "node:test";
import { clientId, ensemble, serverId } from "../../../core/identity.ts";
import { round } from "../../../core/score.ts";
import { timeOfDay } from "../../../core/time.ts";
import type { Transaction } from "../../../core/transaction.ts";
import { epoch, type Zxid, zxid, ZERO } from "../../../core/zxid.ts";
import { encodeOperation, encodeReply } from "../../../testing/replica/key-value-operation.ts";
import { Disks } from "./disks.ts";
import { writeBallot } from "../../../election/ballot.ts";
import { pole } from "../../../election/pole/entry.ts";
import { Elections } from "./elections.ts";
import { Sequence } from "./sequence.ts";
import { Beliefs } from "./beliefs.ts";

const [p1, p2, p3] = ensemble([1, 2, 3]) as [never, never, never];
const at = (ofEpoch: number, counter: number): Zxid => zxid(epoch(ofEpoch), counter);
const ok = encodeReply("ok", 1);

function transaction(place: Zxid, sequence: number, value = 0): Transaction {
  const payload = encodeOperation({ kind: "put", key: "k", value: Uint8Array.of(value) });
  return {
    zxid: place,
    time: timeOfDay(0),
    ticket: { origin: serverId(1), life: 1, sequence },
    payload,
    imaged: false,
  };
}

test("servers that deliver the same in the same order agree, each at its own pace", () => {
  const sequence = new Sequence();
  for (const [server, counter] of [
    [p1, 1],
    [p1, 2],
    [p2, 1],
    [p2, 2],
    [p1, 3],
  ] as const) {
    sequence.delivered(server, transaction(at(1, counter), counter), ok, `state ${counter}`);
  }
  assert.equal(sequence.length, 3);
  assert.equal(sequence.last, at(1, 3));
});

const BROKEN: readonly (readonly [string, RegExp, (sequence: Sequence) => void])[] = [
  [
    "another transaction in the same place",
    /where p1 had delivered/,
    (sequence) => sequence.delivered(p2, transaction(at(1, 1), 9), ok, "state 1"),
  ],
  [
    "the same transaction at another zxid",
    /where p1 had delivered/,
    (sequence) => sequence.delivered(p2, transaction(at(2, 1), 1), ok, "state 1"),
  ],
  [
    "another result",
    /another result/,
    (sequence) => sequence.delivered(p2, transaction(at(1, 1), 1), encodeReply("no entry"), "state 1"),
  ],
  [
    "another state behind it",
    /differ after/,
    (sequence) => sequence.delivered(p2, transaction(at(1, 1), 1), ok, "state 7"),
  ],
  [
    "a counter left out",
    /delivered 0x\w+ after/,
    (sequence) => sequence.delivered(p1, transaction(at(1, 3), 3), ok, ""),
  ],
  [
    "an older epoch",
    /delivered 0x\w+ after/,
    (sequence) => sequence.delivered(p1, transaction(at(0, 9), 3), ok, ""),
  ],
  ["a write twice", /executed twice/, (sequence) => sequence.delivered(p1, transaction(at(1, 2), 1), ok, "")],
  [
    "a write before an earlier one",
    /after write 1 of the same server/,
    (sequence) => sequence.delivered(p1, transaction(at(1, 2), 0), ok, ""),
  ],
  [
    "a snapshot of what nobody delivered",
    /nobody delivered/,
    (sequence) => sequence.restored(p3, at(1, 5), ""),
  ],
  ["a snapshot with another state", /differ after/, (sequence) => sequence.restored(p3, at(1, 1), "state 7")],
];

for (const [mistake, told, make] of BROKEN) {
  test(`the one history has no room for ${mistake}`, () => {
    const sequence = new Sequence();
    sequence.delivered(p1, transaction(at(1, 1), 1), ok, "state 1");
    assert.throws(() => make(sequence), told);
  });
}

test("a transaction counts as on disk when a quorum has it there, and a truncated one does not", () => {
  const disks = new Disks([p1, p2, p3]);
  for (const server of [p1, p2, p3]) {
    disks.started(server, {
      promise: null,
      founder: false,
      epoch: epoch(0),
      snapshot: null,
      transactions: [],
    });
  }
  const record = { kind: "transaction", transaction: transaction(at(1, 1), 1) } as const;
  disks.appended(p1, [record]);
  disks.durable(p1, 1);
  disks.appended(p2, [record]);
  assert.throws(() => disks.demandQuorum(at(1, 1), "delivered"), /only p1 had on disk/);
  disks.durable(p2, 1);
  disks.demandQuorum(at(1, 1), "delivered");
  disks.appended(p1, [{ kind: "truncate", to: ZERO }]);
  disks.durable(p1, 2);
  assert.throws(() => disks.demandQuorum(at(1, 1), "delivered"), /only p2 had on disk/);
});

test("a snapshot on disk stands for all before it", () => {
  const disks = new Disks([p1]);
  disks.started(p1, { promise: null, founder: false, epoch: epoch(0), snapshot: null, transactions: [] });
  const chunk = { kind: "snapshot", zxid: at(1, 9), replaces: "all", bytes: Uint8Array.of() } as const;
  disks.appended(p1, [
    { ...chunk, index: 0, last: false },
    { ...chunk, index: 1, last: true },
  ]);
  disks.durable(p1, 1);
  assert.throws(() => disks.demandQuorum(at(1, 3), "delivered"), /only nobody/);
  disks.durable(p1, 2);
  disks.demandQuorum(at(1, 3), "delivered");
});

const anna = clientId(1);
const bert = clientId(2);

function writes(beliefs: Beliefs, client: typeof anna, id: number, place: Zxid): void {
  const written = transaction(place, id, id);
  beliefs.asked(client, id, p1, { kind: "write", payload: written.payload });
  beliefs.executed(written, ok);
  beliefs.answered(p1, { kind: "reply", client, tag: id, zxid: place, result: [ok] });
}

test("a write cannot take its place before one that was acknowledged earlier", () => {
  const beliefs = new Beliefs();
  beliefs.asked(bert, 0, p1, { kind: "write", payload: transaction(at(1, 1), 1, 1).payload });
  writes(beliefs, anna, 2, at(1, 2));
  beliefs.executed(transaction(at(1, 1), 1, 1), ok);
  // It was asked before the other was acknowledged: that is allowed.
  beliefs.answered(p1, { kind: "reply", client: bert, tag: 0, zxid: at(1, 1), result: [ok] });
  beliefs.asked(bert, 1, p1, { kind: "write", payload: transaction(at(1, 1), 1, 1).payload });
  const late = { kind: "reply", client: bert, tag: 1, zxid: at(1, 1), result: [ok] } as const;
  assert.throws(() => beliefs.answered(p1, late), /was acknowledged before it began/);
});

test("after a sync nothing older than what was acknowledged before it may be told", () => {
  const beliefs = new Beliefs();
  writes(beliefs, anna, 0, at(1, 1));
  beliefs.asked(bert, 0, p2, { kind: "sync" });
  const old = { kind: "reply", client: bert, tag: 0, zxid: ZERO, result: [Uint8Array.of()] } as const;
  assert.throws(() => beliefs.answered(p2, old), /was acknowledged before it began/);
});

test("a session never goes back", () => {
  const beliefs = new Beliefs();
  writes(beliefs, anna, 0, at(1, 1));
  beliefs.asked(anna, 1, p1, { kind: "read", key: "k" });
  const old = { kind: "reply", client: anna, tag: 1, zxid: ZERO, result: [encodeReply("no entry")] } as const;
  assert.throws(() => beliefs.answered(p1, old), /after it had seen/);
});

test("a read shows what the history says", () => {
  const beliefs = new Beliefs();
  writes(beliefs, anna, 0, at(1, 1));
  beliefs.asked(bert, 0, p1, { kind: "read", key: "k" });
  const wrong = {
    kind: "reply",
    client: bert,
    tag: 0,
    zxid: at(1, 1),
    result: [encodeReply("ok", 2)],
  } as const;
  assert.throws(() => beliefs.answered(p1, wrong), /read version 2 of k/);
});

test("an answer to another write than the one asked is none", () => {
  const beliefs = new Beliefs();
  beliefs.asked(anna, 0, p1, { kind: "write", payload: transaction(at(1, 1), 1, 5).payload });
  beliefs.executed(transaction(at(1, 1), 1, 6), ok);
  const other = { kind: "reply", client: anna, tag: 0, zxid: at(1, 1), result: [ok] } as const;
  assert.throws(() => beliefs.answered(p1, other), /the history has another write/);
  assert.throws(() => beliefs.answered(p1, other), /twice, or unasked/);
});

test("whom nobody proposed and who did not speak cannot be elected", () => {
  const elections = new Elections([p1, p2, p3], { name: "pole" });
  elections.told(p1, { kind: "looking", reason: "" });
  const { codec } = pole;
  const vote = writeBallot("pole", codec, { kind: "vote", round: round(1), leader: p3 });
  elections.heard(p1, p2, vote);
  assert.throws(
    () => elections.told(p1, { kind: "elected", leader: p3, round: 1 as never }),
    /p1 elected p3/,
  );
  elections.told(p1, { kind: "elected", leader: p2, round: 1 as never });
});

test("whom a leader names may be elected, once, and not when it goes on to lead", () => {
  const elections = new Elections([p1, p2, p3], { name: "pole" });
  const elects = (): void => elections.told(p1, { kind: "elected", leader: p3, round: round(1) });
  elections.named(p1, p3);
  elections.told(p1, { kind: "looking", reason: "" });
  elects();
  elections.told(p1, { kind: "looking", reason: "" });
  assert.throws(elects, /whom nobody proposed/);
  elections.told(p1, { kind: "handing", to: p3 });
  elections.told(p1, { kind: "kept", to: p2, reason: "server 3 is about to lead" });
  elects();
  elections.told(p1, { kind: "looking", reason: "" });
  elections.told(p1, { kind: "handing", to: p3 });
  elections.told(p1, { kind: "kept", to: p3, reason: "it has gone" });
  assert.throws(elects, /whom nobody proposed/);
});
