import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { clientId, serverId } from "../../core/identity.ts";
import type { Snapshot } from "../../core/machine.ts";
import { joined } from "../../core/pieces.ts";
import { timeOfDay } from "../../core/time.ts";
import type { Transaction } from "../../core/transaction.ts";
import { epoch, type Zxid, zxid } from "../../core/zxid.ts";
import { KeyValueMachine } from "./key-value.ts";
import { decodeReply, encodeOperation, encodeQuery, type Operation } from "./key-value-operation.ts";

const client = clientId(1);

function transaction(counter: number, payload: Uint8Array): Transaction {
  const ticket = { origin: serverId(1), life: 7, sequence: counter };
  return { zxid: zxid(epoch(1), counter), time: timeOfDay(0), ticket, payload, imaged: false };
}

class Story {
  readonly machine = new KeyValueMachine();
  #counter = 0;

  does(operation: Operation) {
    this.#counter += 1;
    const { status, version } = decodeReply(
      this.machine.apply(transaction(this.#counter, encodeOperation(operation))),
    );
    return { status, version };
  }

  reads(key: string) {
    const { status, version, value } = decodeReply(joined(this.machine.read(client, encodeQuery(key))));
    return { status, version, value: [...value] };
  }
}

const bytes = (...values: number[]) => Uint8Array.from(values);

test("a put creates an entry at version 1 and raises the version from then on", () => {
  const story = new Story();
  assert.deepEqual(story.does({ kind: "put", key: "a", value: bytes(1) }), { status: "ok", version: 1 });
  assert.deepEqual(story.does({ kind: "put", key: "a", value: bytes(2) }), { status: "ok", version: 2 });
  assert.deepEqual(story.reads("a"), { status: "ok", version: 2, value: [2] });
});

test("a swap succeeds at the right version only, and 0 means that there is no entry yet", () => {
  const story = new Story();
  const swap = (version: number, ...value: number[]) =>
    story.does({ kind: "swap", key: "a", version, value: bytes(...value) }).status;
  assert.equal(swap(1, 9), "wrong version");
  assert.equal(swap(0, 1), "ok");
  assert.equal(swap(0, 9), "wrong version");
  assert.equal(swap(1, 2), "ok");
  assert.deepEqual(story.reads("a"), { status: "ok", version: 2, value: [2] });
});

test("a raise that comes late changes nothing", () => {
  const story = new Story();
  const raise = (...value: number[]) => story.does({ kind: "raise", key: "a", value: bytes(...value) });
  assert.deepEqual(raise(0, 0, 0, 7, 1), { status: "ok", version: 1 });
  assert.deepEqual(raise(0, 0, 0, 6, 2), { status: "wrong version", version: 1 });
  assert.deepEqual(raise(0, 0, 1, 0, 3), { status: "ok", version: 2 });
  assert.deepEqual(raise(1, 2, 3), { status: "malformed", version: 0 }, "it begins with a number");
  assert.deepEqual(story.reads("a"), { status: "ok", version: 2, value: [0, 0, 1, 0, 3] });
});

test("a removed entry is gone, and removing nothing says so", () => {
  const story = new Story();
  story.does({ kind: "put", key: "a", value: bytes(1) });
  assert.equal(story.does({ kind: "remove", key: "a" }).status, "ok");
  assert.equal(story.does({ kind: "remove", key: "a" }).status, "no entry");
  assert.deepEqual(story.reads("a"), { status: "no entry", version: 0, value: [] });
});

test("bytes that are no operation change nothing and are told so", () => {
  const machine = new KeyValueMachine();
  const garbage = [
    bytes(),
    bytes(1),
    bytes(1, 5, 65),
    bytes(9, 1, 65),
    bytes(2, 1, 65, 0, 0),
    bytes(3, 1, 65, 66),
  ];
  const before = machine.digest();
  for (const [index, payload] of garbage.entries()) {
    assert.equal(decodeReply(machine.apply(transaction(index + 1, payload))).status, "malformed");
  }
  assert.equal(machine.digest(), before);
});

test("a snapshot is the state at its zxid, whatever is written while it is read", () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e");
  const value = fc.uint8Array({ maxLength: 40_000, minLength: 1 });
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({ kind: fc.constant("put" as const), key, value }),
    fc.record({ kind: fc.constant("remove" as const), key }),
  );
  const property = fc.property(fc.array(operation), fc.array(fc.array(operation)), (before, between) => {
    const story = new Story();
    for (const each of before) story.does(each);
    const expected = story.machine.digest();
    const snapshot = story.machine.snapshot();
    const copy = new KeyValueMachine();
    const restoration = copy.restore(snapshot.zxid);
    const writes = [...between];
    for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) {
      restoration.accept(chunk);
      for (const each of writes.shift() ?? []) story.does(each);
    }
    restoration.finish();
    assert.equal(copy.digest(), expected);
    assert.equal(copy.applied, snapshot.zxid);
  });
  fc.assert(property, { numRuns: 200 });
});

test("two snapshots at different zxids do not disturb each other", () => {
  const story = new Story();
  const digests: string[] = [];
  const snapshots: Snapshot[] = [];
  for (let round = 1; round <= 3; round++) {
    story.does({ kind: "put", key: "a", value: bytes(round) });
    digests.push(story.machine.digest());
    snapshots.push(story.machine.snapshot());
  }
  for (const [index, snapshot] of snapshots.entries()) {
    const copy = new KeyValueMachine();
    const restoration = copy.restore(snapshot.zxid);
    for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) restoration.accept(chunk);
    restoration.finish();
    assert.equal(copy.digest(), digests[index]);
    snapshot.close();
  }
});

test("the state in use stays until a restoration is finished", () => {
  const story = new Story();
  story.does({ kind: "put", key: "a", value: bytes(1) });
  const restoration = story.machine.restore(zxid(epoch(9), 1));
  restoration.accept(new Story().machine.snapshot().next() ?? bytes());
  assert.equal(story.reads("a").status, "ok");
  assert.equal(restoration.finish(), null);
  assert.equal(story.reads("a").status, "no entry");
  assert.equal(story.machine.applied satisfies Zxid, zxid(epoch(9), 1));
});
