import assert from "node:assert/strict";
import type { Socket } from "node:net";
import test from "node:test";
import { ERRORS } from "#node/wire/client/error.ts";
import { framed } from "#node/wire/client/header.ts";
import { JuteReader, JuteWriter } from "#node/wire/client/jute.ts";
import { OPERATIONS } from "#node/wire/client/operation.ts";
import { monotonic } from "#node/host/monotonic.ts";
import { PlayedServer } from "./load/played-server.ts";
import { liveSession, WriteClient } from "./client-session.ts";
import type { Ending } from "./writing.ts";

const [HOME, NEXT] = ["127.0.0.1", "127.0.0.2"];

/** Answers every request, until it is told to take them and say no more. */
class FakeServer extends PlayedServer {
  /** The first bytes of what was written. */
  readonly ids: number[] = [];
  isMute = false;
  /** Answers to writes wait until a session is to end. */
  isLate = false;
  #late: Uint8Array[] = [];
  error: number = ERRORS.ok;
  #zxid = 8;

  static at(host: string, port = 0): Promise<FakeServer> {
    return new FakeServer(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 7), 4000).listen(host, port);
  }

  protected override answer(socket: Socket, request: Buffer): void {
    const reader = new JuteReader(request);
    const [xid, operation] = [reader.int(), reader.int()];
    if (operation === OPERATIONS.setData) {
      reader.ustring();
      this.ids.push(Buffer.from(reader.buffer() ?? []).readUInt32BE(0));
    }
    if (this.isMute) return;
    const error = operation === OPERATIONS.setData ? this.error : ERRORS.ok;
    const head = new JuteWriter()
      .int(xid)
      .long(++this.#zxid)
      .int(error);
    this.#late.push(framed(head.finish()));
    if (this.isLate && operation !== OPERATIONS.closeSession) return;
    for (const frame of this.#late.splice(0)) socket.write(frame);
  }
}

/** A client of both, and what became of its requests. */
function clientOf(port: number, hosts: readonly string[] = [HOME, NEXT]) {
  const endings: Ending[] = [];
  let enough = { count: 0, resolve: () => {} };
  const client = new WriteClient(
    { id: 1, servers: hosts.map((host, index) => ({ id: index + 1, host })) },
    {
      payloadBytes: 1024,
      now: monotonic,
      session: liveSession(port, monotonic),
      ended(ending) {
        endings.push(ending);
        if (endings.length >= enough.count) enough.resolve();
      },
    },
  );
  const ended = (count: number): Promise<void> =>
    new Promise((resolve) => {
      enough = { count, resolve };
      if (endings.length >= count) resolve();
    });
  return { client, endings, ended };
}

test("each request carries its id and ends with the place it got in the history", async () => {
  await using home = await FakeServer.at(HOME);
  const { client, endings, ended } = clientOf(home.port, [HOME]);
  await client.prepared;
  client.due([4, 5]);
  await ended(2);
  assert.deepEqual(home.ids, [4, 5]);
  assert.deepEqual(
    endings.map(({ id, server, outcome, zxid }) => [id, server, outcome, zxid]),
    [
      [4, 1, "ok", 10],
      [5, 1, "ok", 11],
    ],
  );
  await client.finish();
});

test("what is refused has failed; what the server does not know either is unknown", async () => {
  await using home = await FakeServer.at(HOME);
  const { client, endings, ended } = clientOf(home.port, [HOME]);
  await client.prepared;
  for (const [id, error] of [ERRORS.noNode, ERRORS.connectionLoss].entries()) {
    home.error = error;
    client.due([id]);
    await ended(id + 1);
  }
  assert.deepEqual(
    endings.map(({ outcome, zxid }) => [outcome, zxid]),
    [
      ["failed", 0],
      ["unknown", 0],
    ],
  );
  await client.finish();
});

test("what is answered when the run is over already nobody knows", async () => {
  await using home = await FakeServer.at(HOME);
  const { client, endings } = clientOf(home.port, [HOME]);
  await client.prepared;
  home.isLate = true;
  client.due([0]);
  while (home.ids.length === 0) await new Promise(setImmediate);
  await client.finish();
  assert.deepEqual(
    endings.map(({ id, outcome, zxid }) => [id, outcome, zxid]),
    [[0, "unknown", 0]],
  );
});

test("its server dies: what was under way is unknown, and the session goes on at the next", async () => {
  await using home = await FakeServer.at(HOME);
  await using next = await FakeServer.at(NEXT, home.port);
  const { client, endings, ended } = clientOf(home.port);
  await client.prepared;
  home.isMute = true;
  client.due([0]);
  while (home.ids.length === 0) await new Promise(setImmediate);
  home.die();
  await ended(1);
  client.due([1]);
  await ended(2);
  assert.deepEqual(
    endings.map(({ id, outcome }) => [id, outcome]),
    [
      [0, "unknown"],
      [1, "ok"],
    ],
  );
  assert.deepEqual(next.ids, [1], "nothing is sent twice");
  assert.deepEqual(next.sessions, ["0000000000000007"]);
  await client.finish();
});
