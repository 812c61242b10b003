// What becomes of answers and events that nobody takes.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Stage, make, put } from "../testing/tree/stage.ts";
import { getData, PlayedServer, type PlayedClient, requestFrame } from "../testing/front/front-stage.ts";

const MEGABYTE = 1_000_000;

/** A server with `/large`, a megabyte, and clients that read when the story lets them. */
function largeServer(clients: number): [PlayedServer, PlayedClient, PlayedClient[]] {
  const server = new PlayedServer(new Stage());
  const owner = server.connect(1);
  owner.greet();
  owner.send({ ...make("/large"), data: new Uint8Array(MEGABYTE) });
  const others = Array.from({ length: clients }, (_, index) => server.connect(index + 2));
  for (const other of others) other.greet();
  owner.frames();
  server.log.length = 0;
  return [server, owner, others];
}

const reads = (count: number): Uint8Array =>
  Uint8Array.from(
    Array.from({ length: count }, (_, index) => [...requestFrame(getData("/large"), index + 1)]).flat(),
  );

const unreadBy = (server: PlayedServer, client: PlayedClient): number =>
  (server.sent.get(client.id) ?? []).reduce((sum, { length }) => sum + length, 0);

suite("answers that are not read", () => {
  test("are a few; the others are made when there is room, all of them and in order", () => {
    const [server, , [client]] = largeServer(1);
    assert(client !== undefined);
    server.isReading = false;
    client.bytes(reads(500));
    assert.ok(unreadBy(server, client) < 3 * MEGABYTE, `${unreadBy(server, client)} bytes`);
    assert.deepEqual(server.log, ["pause"]);
    const xids: number[] = [];
    for (let turn = 0; turn < 500 && xids.length < 500; turn++) {
      xids.push(...client.heard().map((line) => Number.parseInt(line, 10)));
      server.readAll();
    }
    xids.push(...client.heard().map((line) => Number.parseInt(line, 10)));
    assert.deepEqual(
      xids,
      Array.from({ length: 500 }, (_, index) => index + 1),
    );
    assert.equal(server.log.at(-1), "resume");
  });

  test("of a read behind a write, too, are made one by one", () => {
    const [server, , [client]] = largeServer(1);
    assert(client !== undefined);
    server.isReading = false;
    server.holding = true;
    client.bytes(Uint8Array.from([...requestFrame(put("/large/x", ""), 501), ...reads(100)]));
    server.release();
    assert.ok(unreadBy(server, client) < 3 * MEGABYTE, `${unreadBy(server, client)} bytes`);
    server.isReading = true;
    server.run();
    assert.equal(client.frames().length, 101);
  });

  test("of very many are bounded in all, by cutting off; who reads is answered within the turn", () => {
    const [server, owner, stuck] = largeServer(300);
    server.isReading = false;
    for (const client of stuck) {
      client.bytes(reads(10));
      server.flush([owner]);
    }
    const left = stuck.filter(({ ended }) => ended === undefined);
    const bytes = left.reduce((sum, client) => sum + unreadBy(server, client), 0);
    assert.ok(bytes < 70 * MEGABYTE, `${bytes} bytes`);
    assert.ok(left.length > 30, "nobody is cut off in vain");
    assert.match(stuck.find(({ ended }) => ended !== undefined)?.ended ?? "", /leave too much unread/);
    owner.send(getData("/large"), 77).send({ kind: "ping" }, -2);
    server.flush([owner]);
    assert.deepEqual(owner.heard(), ["77 ok", "-2 ok"]);
  });

  const inTurn = (server: PlayedServer, clients: readonly PlayedClient[]): number =>
    clients.reduce((sum, client) => sum + unreadBy(server, client), 0);

  test("are few in one turn, also to those who read; nobody is passed by", () => {
    const [server, owner, clients] = largeServer(12);
    server.isReading = false;
    for (const client of clients) client.bytes(reads(4));
    assert.equal(Math.floor(inTurn(server, clients) / MEGABYTE), 3, "not much more than 2 MB");
    owner.send({ kind: "ping" }, -2).send(getData("/large"), 77);
    assert.deepEqual(owner.heard(), ["-2 ok", "77 ok"], "one thing at a time comes first");
    const heard = clients.map(() => 0);
    for (let turn = 0; turn < 20; turn++) {
      for (const [index, client] of clients.entries())
        heard[index] = (heard[index] ?? 0) + client.frames().length;
      const most = Math.max(...heard);
      // The last one of each is one thing at a time.
      if (most < 4) assert.ok(most - Math.min(...heard) <= 2, `${heard.join(" ")}`);
      server.flush([owner, ...clients]);
      owner.send(getData("/large"), turn);
      assert.deepEqual(owner.heard(), [`${turn} ok`]);
      assert.ok(inTurn(server, clients) < 6 * MEGABYTE, `${inTurn(server, clients)} bytes`);
    }
    assert.deepEqual(heard, Array<number>(12).fill(4));
  });

  test("are few in one turn to very many who ask one thing", () => {
    const [server, owner, clients] = largeServer(30);
    server.isReading = false;
    for (const client of clients) client.bytes(reads(1));
    assert.equal(Math.floor(inTurn(server, clients) / MEGABYTE), 5, "not much more than 4 MB");
    for (let turn = 0; turn < 5; turn++) server.flush([owner, ...clients]);
    for (const client of clients) assert.equal(client.frames().length, 1);
  });

  test("come when those before them were read after all, also beyond the bound of all", () => {
    const [server, owner, stuck] = largeServer(100);
    server.isReading = false;
    for (const client of stuck) {
      client.bytes(reads(3));
      server.flush([owner]);
    }
    const left = stuck.filter(({ ended }) => ended === undefined);
    for (let turn = 0; turn < 100; turn++) server.flush([owner, ...left]);
    for (const client of left) assert.equal(client.frames().length, 3);
  });

  test("for a minute end the connection, and not those that are read slowly", () => {
    const [server, , [stuck, slow]] = largeServer(2);
    assert(stuck !== undefined && slow !== undefined);
    server.isReading = false;
    for (const client of [stuck, slow]) client.bytes(reads(3));
    server.flush([]);
    for (let second = 0; second < 62; second++) {
      server.pass(1000);
      server.endTurn([{ client: slow.id, bytes: 1 }]);
    }
    assert.match(stuck.ended ?? "", /has read nothing/);
    assert.equal(slow.ended, undefined);
  });
});

suite("events that are not read", () => {
  const told = (server: PlayedServer, owner: PlayedClient, path: string, times: number): void => {
    for (let time = 0; time < times; time++) {
      owner.send(put(path, "x"));
      owner.frames();
      server.flush([owner]);
    }
  };

  const watched = `/${"w".repeat(100_000)}`;

  test("of one client are 16 MB at most", () => {
    const [server, owner, [watcher]] = largeServer(1);
    assert(watcher !== undefined);
    owner.send(make(watched));
    watcher.send({ kind: "addWatch", path: "/", mode: 1 });
    server.isReading = false;
    told(server, owner, watched, 150);
    assert.equal(watcher.ended, undefined);
    told(server, owner, watched, 50);
    assert.match(watcher.ended ?? "", /leaves 16\d{6} bytes unread/);
    assert.equal(owner.ended, undefined);
  });

  test("of all clients have a bound, beyond which who leaves most goes", () => {
    const [server, owner, watchers] = largeServer(20);
    owner.send(make(watched));
    for (const [index, watcher] of watchers.entries()) {
      if (index > 0) watcher.send({ kind: "addWatch", path: "/", mode: 1 });
    }
    server.isReading = false;
    watchers[0]?.send({ kind: "addWatch", path: "/", mode: 1 });
    watchers[0]?.bytes(reads(1));
    told(server, owner, watched, 34);
    assert.deepEqual(
      watchers.map(({ ended }) => ended !== undefined),
      watchers.map((_, index) => index === 0),
    );
    assert.match(watchers[0]?.ended ?? "", /it most of all/);
  });

  test("are the same bytes for all who are told of one change", () => {
    const [server, owner, watchers] = largeServer(3);
    owner.send(make(watched));
    for (const watcher of watchers) watcher.send({ kind: "addWatch", path: "/", mode: 1 });
    told(server, owner, watched, 1);
    const frames = watchers.map((watcher) => server.sent.get(watcher.id)?.at(-1));
    assert.equal(new Set(frames).size, 1);
    assert.deepEqual(watchers[2]?.heard().at(-1), `event 3 ${watched}`);
  });
});
