// What a front does for the sessions of its clients.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { epoch, zxid } from "../core/zxid.ts";
import { PlayedServer } from "../testing/front/front-stage.ts";
import { Stage } from "../testing/tree/stage.ts";

suite("signs of life", () => {
  test("are told once each", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    const session = client.greet()?.session;
    client.send({ kind: "ping" }, -2).send({ kind: "ping" }, -2);
    assert.deepEqual([...server.front.takeTouched().keys()], [session]);
    assert.equal(server.front.takeTouched().size, 0);
  });

  test("are the handshake that brings a session back, and its answer", () => {
    const server = new PlayedServer();
    const given = server.connect(1).greet();
    assert.ok(given !== null);
    server.front.takeTouched();
    server.holding = true;
    server.connect(2).greet(given);
    assert.deepEqual([...server.front.takeTouched().keys()], [given.session]);
    server.release();
    assert.deepEqual([...server.front.takeTouched().keys()], [given.session]);
  });
});

suite("a session at a server that is cut off", () => {
  const cutOff = (): PlayedServer => {
    const server = new PlayedServer();
    server.front.setMode("readOnly");
    return server;
  };

  test("is kept although the server has not heard of it, for its owner to take along again", () => {
    const wish = { session: 2 ** 40, password: new Uint8Array(16).fill(7), readOnly: true };
    const response = cutOff().connect(1).greet(wish);
    assert.deepEqual([response?.session, response?.password], [wish.session, wish.password]);
  });

  test("is its own for each who has none yet, at every server", () => {
    const servers = [1, 2].map((self) => new PlayedServer(new Stage(), self));
    for (const server of servers) server.front.setMode("readOnly");
    const ids = servers.flatMap((server) =>
      [1, 2].map((client) => server.connect(client).greet({ readOnly: true })?.session ?? 0),
    );
    assert.equal(new Set(ids).size, 4);
    for (const id of ids) assert.ok(id > 0 && id < zxid(epoch(1), 0), `${id} may be another's`);
  });

  test("that the server knows is refused to whoever has another password", () => {
    const server = new PlayedServer();
    const given = server.connect(1).greet();
    assert.ok(given !== null);
    server.front.setMode("readOnly");
    server.run();
    const wish = { session: given.session, readOnly: true };
    assert.equal(server.connect(2).greet(wish)?.session, 0);
    assert.equal(server.connect(3).greet({ ...wish, password: given.password })?.session, given.session);
  });
});
