import assert from "node:assert/strict";
import type { Socket } from "node:net";
import test from "node:test";
import { LoadClient } from "./client.ts";
import type { LoadPlan } from "./plan.ts";
import type { Tally } from "./program.ts";
import { agreement, PlayedServer } from "./played-server.ts";
import { createRequest, loadRequest } from "./request.ts";

const PLAN: LoadPlan = {
  ports: [],
  clients: 1,
  request: "setData",
  payloadBytes: 3,
  pace: { kind: "closed", outstanding: 1 },
  warmUpSeconds: 0,
  seconds: 0,
};

/** Answers every request at once, until it has answered so many. */
class ShortLived extends PlayedServer {
  #left: number;

  private constructor(answers: number) {
    super(Uint8Array.of(255, 1, 2, 3, 4, 5, 6, 7), 30_000);
    this.#left = answers;
  }

  static answering(answers: number): Promise<ShortLived> {
    return new ShortLived(answers).listen("127.0.0.1", 0);
  }

  protected override answer(socket: Socket, request: Buffer): void {
    if (this.#left === 0) return void socket.destroy();
    this.#left -= 1;
    socket.write(agreement(request));
  }
}

class Counts implements Tally {
  acknowledgements = 0;
  unknowns = 0;
  readonly #enough: () => void;
  readonly reached: Promise<void>;

  constructor(acknowledgements: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.reached = promise;
    this.#enough = () => this.acknowledgements >= acknowledgements && resolve();
  }

  now = (): number => 1;
  refused = (): void => assert.fail("refused");

  acknowledged(): void {
    this.acknowledgements += 1;
    this.#enough();
  }

  unknown(): void {
    this.unknowns += 1;
  }
}

test("a client whose server goes away takes its session to the next and asks nothing twice", async () => {
  await using dying = await ShortLived.answering(5);
  await using living = await ShortLived.answering(1000);
  const tally = new Counts(20);
  const client = new LoadClient([dying.port, living.port], 0, tally);
  assert.equal(await client.once(createRequest(0, PLAN)), 0);
  client.use(loadRequest(0, PLAN));
  client.keep(1);
  await tally.reached;
  assert.equal(tally.unknowns, 1, "the one that was under way");
  client.stop();
  assert.equal(tally.unknowns, 2, "and the one that was under way when it had to stop");
  assert.deepEqual(dying.sessions, ["0000000000000000"]);
  assert.deepEqual(living.sessions, ["ff01020304050607"], "64 bits, shown unchanged");
});

test("a request has waited since it was due, whenever it was sent", async () => {
  await using living = await ShortLived.answering(1000);
  const waits: number[] = [];
  const tally = new Counts(3);
  const client = new LoadClient([living.port], 0, {
    now: () => 100,
    refused: tally.refused,
    unknown: () => assert.fail("nothing was lost"),
    acknowledged: (intended, _sent, completed) => {
      waits.push(completed - intended);
      tally.acknowledged();
    },
  });
  await client.once(createRequest(0, PLAN));
  client.use(loadRequest(0, PLAN));
  for (const due of [70, 80, 90]) client.due(due);
  client.send();
  await tally.reached;
  client.stop();
  assert.deepEqual(waits, [30, 20, 10]);
});

test("what the server does not read waits here, and is not sent once the load is over", async () => {
  await using living = await ShortLived.answering(1000);
  const tally = new Counts(Infinity);
  const client = new LoadClient([living.port], 0, tally);
  client.use(loadRequest(0, { ...PLAN, payloadBytes: 10_000 }));
  assert.equal(await client.once(createRequest(0, PLAN)), 0);
  living.isDeaf = true;
  for (let count = 0; count < 20_000; count++) client.due(1);
  client.send();
  for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
  assert.ok(client.rest() > 0, "200 MB are not in the socket, nor in front of it");
  client.stop();
});
