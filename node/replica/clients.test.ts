import assert from "node:assert/strict";
import { test } from "node:test";
import { clientId, serverId } from "../core/identity.ts";
import { PAYLOAD_LIMIT } from "../core/limits.ts";
import { timeOfDay } from "../core/time.ts";
import { epoch, type Zxid, zxid, ZERO } from "../core/zxid.ts";
import { Clients, type Submission } from "./clients.ts";
import { KeyValueMachine } from "../testing/replica/key-value.ts";
import { encodeOperation, encodeQuery } from "../testing/replica/key-value-operation.ts";
import type { ReplicaOutput } from "./replica-protocol.ts";

const anna = clientId(1);
const bert = clientId(2);
const self = serverId(1);

/** One server's clients, with the test in the place of the leader. */
class Desk {
  readonly outputs: ReplicaOutput[] = [];
  readonly clients = new Clients(self, new KeyValueMachine(), null, (output) => this.outputs.push(output));
  #counter = 0;

  constructor() {
    this.clients.begin(77);
    this.clients.request({ kind: "attach", client: anna, seen: ZERO });
    this.clients.request({ kind: "attach", client: bert, seen: ZERO });
  }

  writes(client = anna, id = 0): void {
    const payload = encodeOperation({ kind: "put", key: "k", value: Uint8Array.of(id) });
    this.clients.request({ kind: "write", client, tag: id, payload });
  }

  reads(client = anna, id = 0): void {
    this.clients.request({ kind: "read", client, tag: id, query: encodeQuery("k") });
  }

  syncs(client = anna, id = 0): void {
    this.clients.request({ kind: "sync", client, tag: id });
  }

  knows(client = anna, id = 0): void {
    this.clients.request({ kind: "known", client, tag: id });
  }

  submitted(): readonly Submission[] {
    return this.clients.takeSubmissions();
  }

  /** The leader gave this submission its place in the history, and it is committed. */
  commits(submission: Submission | undefined): void {
    assert(submission?.kind === "write");
    const { ticket, payload } = submission;
    this.clients.deliver({ zxid: this.next(), time: timeOfDay(0), ticket, payload, imaged: false });
  }

  /** Somebody else's transaction is delivered. */
  commitsAnother(): void {
    const ticket = { origin: serverId(2), life: 1, sequence: 0 };
    const payload = encodeOperation({ kind: "put", key: "other", value: Uint8Array.of() });
    this.clients.deliver({ zxid: this.next(), time: timeOfDay(0), ticket, payload, imaged: false });
  }

  /** The state comes as a snapshot, an empty one. */
  restores(at: Zxid): void {
    const restoration = this.clients.restore(at);
    restoration.accept(new KeyValueMachine().snapshot().next() ?? new Uint8Array(0));
    assert.equal(restoration.finish(), null);
  }

  next(): Zxid {
    this.#counter += 1;
    return zxid(epoch(1), this.#counter);
  }

  told(): string[] {
    const told = this.outputs.map((output) => {
      if (output.kind === "event" || output.kind === "behind") return output.kind;
      return `${output.client}/${output.tag} ${output.kind}`;
    });
    this.outputs.length = 0;
    return told;
  }
}

const sequences = (submissions: readonly Submission[]) =>
  submissions.map((each) => (each.kind === "write" ? each.ticket.sequence : `sync ${each.sequence}`));

test("many writes of one client go to the leader at once, and are answered in order", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  for (const id of [0, 1, 2]) desk.writes(anna, id);
  const submissions = desk.submitted();
  assert.deepEqual(sequences(submissions), [0, 1, 2]);
  for (const submission of submissions) desk.commits(submission);
  assert.deepEqual(desk.told(), ["1/0 reply", "1/1 reply", "1/2 reply"]);
});

test("a read waits for the writes its client sent before it, and for nobody else's", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.writes(anna, 0);
  desk.reads(anna, 1);
  desk.reads(bert, 0);
  const [write] = desk.submitted();
  assert.deepEqual(desk.told(), ["2/0 reply"]);
  desk.commits(write);
  assert.deepEqual(desk.told(), ["1/0 reply", "1/1 reply"]);
});

test("what is asked while no leader is known waits until one is", () => {
  const desk = new Desk();
  desk.writes(anna, 0);
  desk.reads(bert, 0);
  assert.deepEqual(desk.submitted(), []);
  assert.deepEqual(desk.told(), []);
  desk.clients.serve(ZERO);
  assert.deepEqual(sequences(desk.submitted()), [0]);
  assert.deepEqual(desk.told(), ["2/0 reply"]);
});

test("a write that died with its leader is submitted again once all that could come has come", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  for (const id of [0, 1, 2]) desk.writes(anna, id);
  const [first] = desk.submitted();
  desk.clients.suspend();
  desk.clients.serve(zxid(epoch(1), 2));
  assert.deepEqual(desk.submitted(), []);
  desk.commits(first);
  assert.deepEqual(desk.submitted(), []);
  desk.commitsAnother();
  assert.deepEqual(sequences(desk.submitted()), [1, 2]);
  assert.deepEqual(desk.told(), ["1/0 reply"]);
});

test("new writes stay behind those that are submitted again", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.writes(anna, 0);
  desk.submitted();
  desk.clients.suspend();
  desk.writes(anna, 1);
  desk.writes(bert, 0);
  desk.clients.serve(ZERO);
  assert.deepEqual(sequences(desk.submitted()), [0, 1, 2]);
});

test("after a snapshot nobody knows what is in it, and a late delivery is nobody's answer", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.writes(anna, 0);
  const [write] = desk.submitted();
  desk.restores(desk.next());
  assert.deepEqual(desk.told(), ["1/0 unknown"]);
  desk.writes(anna, 1);
  const [later] = desk.submitted();
  desk.commits(write);
  assert.deepEqual(desk.told(), []);
  desk.commits(later);
  assert.deepEqual(desk.told(), ["1/1 reply"]);
});

test("a snapshot that goes beyond what was to be settled settles it", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.writes(anna, 0);
  desk.syncs(bert, 0);
  desk.submitted();
  desk.clients.suspend();
  desk.clients.serve(zxid(epoch(1), 2));
  desk.restores(zxid(epoch(1), 1));
  desk.writes(anna, 1);
  assert.deepEqual(desk.submitted(), [], "a transaction may still come");
  desk.restores(zxid(epoch(1), 3));
  assert.deepEqual(sequences(desk.submitted()), ["sync 1", 2]);
});

test("what follows a sync waits for it, and a sync waits for what is before it", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.writes(anna, 0);
  desk.syncs(anna, 1);
  desk.writes(anna, 2);
  const [write, ...none] = desk.submitted();
  assert.deepEqual(none, []);
  desk.commits(write);
  assert.deepEqual(sequences(desk.submitted()), ["sync 1"]);
  desk.clients.synced(1);
  assert.deepEqual(sequences(desk.submitted()), [2]);
  assert.deepEqual(desk.told(), ["1/0 reply", "1/1 reply"]);
});

test("what its asker knows already is answered in its turn, and holds up no write behind it", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.knows(anna, 0);
  desk.writes(anna, 1);
  desk.knows(anna, 2);
  desk.writes(anna, 3);
  desk.knows(anna, 4);
  desk.syncs(anna, 5);
  const [first, second, ...none] = desk.submitted();
  assert.deepEqual(none, [], "the sync waits for the writes");
  assert.deepEqual(desk.told(), ["1/0 reply"]);
  desk.commits(first);
  assert.deepEqual(desk.told(), ["1/1 reply", "1/2 reply"]);
  assert.deepEqual(desk.submitted(), []);
  desk.commits(second);
  assert.deepEqual(desk.told(), ["1/3 reply", "1/4 reply"]);
  assert.deepEqual(sequences(desk.submitted()), ["sync 2"]);
});

test("it needs no leader", () => {
  const desk = new Desk();
  desk.knows(anna, 0);
  desk.reads(anna, 1);
  desk.knows(anna, 2);
  assert.deepEqual(desk.submitted(), []);
  assert.deepEqual(desk.told(), ["1/0 reply"]);
  desk.clients.serve(ZERO);
  assert.deepEqual(desk.submitted(), []);
  assert.deepEqual(desk.told(), ["1/1 reply", "1/2 reply"]);
});

test("a sync that its leader did not answer is asked of the next", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.syncs(anna, 0);
  assert.deepEqual(sequences(desk.submitted()), ["sync 0"]);
  desk.clients.suspend();
  desk.clients.serve(ZERO);
  assert.deepEqual(sequences(desk.submitted()), ["sync 0"]);
});

test("a client that has seen more than this server holds is sent away", () => {
  const desk = new Desk();
  desk.clients.request({ kind: "attach", client: clientId(3), seen: zxid(epoch(1), 1) });
  assert.deepEqual(desk.told(), ["behind"]);
});

test("the write of a client that has gone is executed, and answered to nobody", () => {
  const desk = new Desk();
  desk.clients.serve(ZERO);
  desk.writes(anna, 0);
  const [write] = desk.submitted();
  desk.clients.request({ kind: "detach", client: anna });
  desk.commits(write);
  assert.deepEqual(desk.told(), []);
  assert.equal(desk.clients.applied, zxid(epoch(1), 1));
});

test("questions of a client that never attached are refused", () => {
  const desk = new Desk();
  desk.writes(clientId(9), 0);
  assert.deepEqual(desk.told(), ["9/0 refused"]);
});

test("a write that is too large to be told to others is refused before anybody is asked", () => {
  const desk = new Desk();
  const of = (bytes: number) =>
    ({ kind: "write", client: anna, tag: bytes, payload: new Uint8Array(bytes) }) as const;
  desk.clients.request(of(PAYLOAD_LIMIT + 1));
  assert.deepEqual(desk.told(), [`1/${PAYLOAD_LIMIT + 1} refused`]);
  desk.clients.serve(ZERO);
  assert.deepEqual(desk.submitted(), []);
  desk.clients.request(of(PAYLOAD_LIMIT));
  assert.equal(desk.submitted().length, 1);
});
