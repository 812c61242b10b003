// What a server says to its clients, and in which order.

import { utf8Bytes } from "../core/utf8.ts";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { clientId } from "../core/identity.ts";
import { type Acl, PERMISSION } from "../wire/client/acl.ts";
import { ERRORS } from "../wire/client/error.ts";
import { readReplyHeader, writeRequestHeader } from "../wire/client/header.ts";
import { JuteReader, JuteWriter } from "../wire/client/jute.ts";
import { OPERATIONS } from "../wire/client/operation.ts";
import { frameOf } from "./frame.ts";
import { authenticate, getData, PlayedServer, requestFrame } from "../testing/front/front-stage.ts";
import { erase, make, put, Stage } from "../testing/tree/stage.ts";

suite("the handshake", () => {
  test("gives a session, a password of 16 bytes, and a timeout within 2 and 20 ticks", () => {
    const server = new PlayedServer();
    for (const [wanted, given] of [
      [1, 4000],
      [10_000, 10_000],
      [1e8, 40_000],
    ] as const) {
      const response = server.connect(wanted % 997).greet({ timeoutMs: wanted });
      assert.equal(response?.timeoutMs, given);
      assert.ok((response?.session ?? 0) > 0);
      assert.equal(response?.password.length, 16);
      assert.equal(response?.readOnly, false);
    }
  });

  test("is answered without the read-only byte to a client that did not send it", () => {
    const client = new PlayedServer().connect(1);
    assert.equal(client.greet({ readOnly: null })?.readOnly, null);
  });

  test("that brings the password of its session resumes it, here or at another server", () => {
    const stage = new Stage();
    const [here, there] = [new PlayedServer(stage, 1), new PlayedServer(stage, 2)];
    const first = here.connect(1);
    const given = first.greet();
    assert.ok(given !== null);
    const second = here.connect(2);
    assert.equal(second.greet(given)?.session, given.session);
    assert.equal(first.ended, "its client connected anew");
    assert.equal(there.connect(1).greet(given)?.session, given.session);
  });

  test("with a wrong password is rejected with nothing but zeros, and its owner notices nothing", () => {
    const server = new PlayedServer();
    const owner = server.connect(1);
    const given = owner.greet();
    assert.ok(given !== null);
    const thief = server.connect(2);
    const response = thief.greet({ session: given.session, password: new Uint8Array(16).fill(1) });
    assert.deepEqual(response, { timeoutMs: 0, session: 0, password: new Uint8Array(16), readOnly: false });
    assert.ok(thief.ended);
    assert.deepEqual(owner.send({ kind: "ping" }, -2).heard(), ["-2 ok"]);
  });

  test("gives every session a password of its own", () => {
    const server = new PlayedServer();
    const [one, other] = [server.connect(1).greet(), server.connect(2).greet()];
    assert.ok(one !== null && other !== null);
    assert.notDeepEqual(one.password, other.password);
    const thief = server.connect(3);
    assert.equal(thief.greet({ session: other.session, password: one.password })?.session, 0);
  });

  test("for a session that has ended is rejected in the same way", () => {
    const server = new PlayedServer();
    const given = server.connect(1).greet();
    assert.ok(given !== null);
    const again = server.connect(2);
    assert.ok(again.greet(given));
    again.send({ kind: "closeSession" });
    assert.deepEqual(again.heard(), ["1 ok"]);
    assert.ok(again.ended);
    const late = server.connect(3);
    assert.equal(late.greet(given)?.timeoutMs, 0);
    assert.equal(late.ended, "its session has expired");
  });

  test("of a client that has seen more than this server ends without an answer", () => {
    const client = new PlayedServer().connect(1);
    assert.equal(client.greet({ lastZxidSeen: 2 ** 40 }), null);
    assert.match(client.ended ?? "", /newer state/);
  });
});

suite("requests", () => {
  test("are understood however their bytes are cut", () => {
    const server = new PlayedServer();
    const frames = [
      requestFrame(make("/a"), 1),
      requestFrame(getData("/a"), 2),
      requestFrame(getData("/none"), 3),
    ];
    const stream = Uint8Array.from(frames.flatMap((frame) => [...frame]));
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
        const client = server.connect(1);
        client.greet();
        const ends = [...cuts, stream.length].sort((one, other) => one - other);
        let start = 0;
        for (const end of ends) {
          client.bytes(stream.slice(start, end));
          start = end;
        }
        assert.deepEqual(client.heard().slice(1), ["2 ok", "3 noNode"]);
      }),
    );
  });

  test("are answered in the order asked, whoever knows the answer", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    client.greet();
    server.holding = true;
    client.send(make("/a")).send(authenticate("digest", "bob:secret"), -4).send(getData("/a"));
    client.send({ kind: "sync", path: "/a" }).send({ kind: "ping" }, -2);
    assert.deepEqual(client.heard(), []);
    server.release();
    assert.deepEqual(client.heard(), ["1 ok", "-4 ok", "2 ok", "3 ok", "-2 ok"]);
  });

  test("that a server does not know are refused, and the connection ends", () => {
    for (const code of [0, 55, -1, OPERATIONS.createSession, OPERATIONS.deleteContainer]) {
      const client = new PlayedServer().connect(1);
      client.greet();
      client.bytes(frameOf(writeRequestHeader(new JuteWriter(), { xid: 9, operation: code }).finish()));
      const [frame] = client.frames();
      assert.ok(frame !== undefined);
      assert.deepEqual(readReplyHeader(new JuteReader(frame)), {
        xid: 9,
        zxid: -1,
        error: ERRORS.unimplemented,
      });
      assert.ok(client.ended);
    }
  });

  test("beyond a thousand unanswered ones wait in their socket", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    client.greet();
    server.holding = true;
    const many = Array.from({ length: 1500 }, (_, index) => [...requestFrame(put("/a", "x"), index + 1)]);
    client.bytes(Uint8Array.from(many.flat()));
    assert.deepEqual(server.log, ["pause"]);
    server.release();
    assert.deepEqual(server.log, ["pause", "resume", "pause", "resume"]);
    assert.equal(client.frames().length, 1500);
  });

  test("of all clients together, beyond 8 MB who asked much waits, and who asks little does not", () => {
    const server = new PlayedServer();
    const clients = Array.from({ length: 20 }, (_, index) => server.connect(index + 1));
    const modest = server.connect(21);
    for (const client of [...clients, modest]) client.greet();
    server.holding = true;
    const write = { kind: "setData", path: "/a", data: new Uint8Array(1000), version: -1 } as const;
    const frame = requestFrame(write, 7);
    const flood = new Uint8Array(500 * frame.length);
    for (let at = 0; at < flood.length; at += frame.length) flood.set(frame, at);
    for (const client of clients) client.bytes(flood.slice());
    assert.deepEqual(server.log, Array<string>(12).fill("pause"), "eight were taken whole");
    modest.send(write, 8);
    assert.equal(server.log.length, 12);
    server.release();
    for (const client of clients) assert.equal(client.frames().length, 500);
    assert.deepEqual(modest.heard(), ["8 noNode"]);
    assert.equal(server.log.filter((word) => word === "resume").length, server.log.length / 2);
  });

  test("may come before the session does, megabytes of them", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    server.holding = true;
    assert.equal(client.greet(), null);
    const data = Array.from({ length: 10_000 }, (_, index) => `/${index}`.padEnd(90, "x"));
    const none = { exist: [], child: [], persistent: [], recursive: [] };
    const frame = requestFrame({ kind: "setWatches", relativeZxid: 0, data: [], ...none, exist: data }, -8);
    for (let times = 0; times < 3; times++) client.bytes(frame);
    assert.deepEqual(server.log, ["pause"]);
    server.release();
    assert.deepEqual(server.log, ["pause", "resume"]);
    assert.deepEqual(client.heard().slice(1), ["-8 ok", "-8 ok", "-8 ok"]);
    assert.deepEqual(client.send({ kind: "ping" }, -2).heard(), ["-2 ok"]);
  });

  test("that end the session are answered before the connection is closed", () => {
    const server = new PlayedServer();
    const [client, other] = [server.connect(1), server.connect(2)];
    client.greet();
    other.greet();
    client.send(make("/e", { flags: 1 }));
    other.send({ kind: "exists", path: "/e", watch: true });
    client.send({ kind: "closeSession" }).send(getData("/"));
    assert.deepEqual(client.heard(), ["1 ok", "2 ok"]);
    assert.equal(client.ended, "its client ended it");
    assert.deepEqual(other.heard(), ["1 ok", "event 2 /e"]);
  });
});

suite("events", () => {
  test("come before the answer that reflects them, and after the one that sets their watch", () => {
    const server = new PlayedServer();
    const [client, other] = [server.connect(1), server.connect(2)];
    client.greet();
    other.greet();
    other.send(make("/a"));
    server.holding = true;
    client.send(getData("/a", true));
    other.send(put("/a", "x"));
    client.send(getData("/a")).send(put("/a", "y"));
    server.release();
    assert.deepEqual(client.heard(), ["1 ok", "event 3 /a", "2 ok", "3 ok"]);
  });

  test("are not told to one who may not read the znode any more", () => {
    const server = new PlayedServer();
    const [client, other] = [server.connect(1, "10.0.0.1"), server.connect(2, "10.0.0.2")];
    client.greet();
    other.greet();
    const only = (address: string): Acl[] => [
      { permissions: PERMISSION.all, id: { scheme: "ip", id: address } },
    ];
    client.send(make("/a"));
    other.send(getData("/a", true));
    client.send({ kind: "setAcl", path: "/a", acl: only("10.0.0.1"), version: -1 }).send(put("/a", "x"));
    assert.deepEqual(other.heard(), ["1 ok"]);
  });

  test("of watches set again come before the answer", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    client.greet();
    const lists = { exist: [], child: [], persistent: [], recursive: [] };
    client.send({ kind: "setWatches", relativeZxid: 0, data: ["/gone"], ...lists }, -8);
    assert.deepEqual(client.heard(), ["event 2 /gone", "-8 ok"]);
  });
});

suite("authentication", () => {
  test("by digest gives an identity, and the super user everything", () => {
    const server = new PlayedServer();
    const [bob, other, root] = [server.connect(1), server.connect(2), server.connect(3)];
    for (const client of [bob, other, root]) client.greet();
    bob.send(authenticate("digest", "bob:secret"), -4);
    bob.send(make("/bob", { acl: [{ permissions: PERMISSION.all, id: { scheme: "auth", id: "" } }] }));
    assert.deepEqual(bob.heard(), ["-4 ok", "1 ok"]);
    assert.deepEqual(other.send(getData("/bob")).heard(), ["1 noAuth"]);
    assert.deepEqual(root.send(authenticate("digest", "super:test"), -4).send(erase("/bob")).heard(), [
      "-4 ok",
      "1 ok",
    ]);
  });

  test("by an unknown scheme fails, and ends the connection", () => {
    const client = new PlayedServer().connect(1);
    client.greet();
    assert.deepEqual(client.send(authenticate("nonsense", "x"), -4).heard(), ["-4 authFailed"]);
    assert.ok(client.ended);
  });
});

suite("a server that is cut off, and may serve readers", () => {
  test("answers reads, refuses writes, and has nothing for clients that want more", () => {
    const server = new PlayedServer();
    server.front.setMode("readOnly");
    server.holding = true;
    const [reader, writer] = [server.connect(1), server.connect(2)];
    assert.equal(reader.greet({ readOnly: true })?.readOnly, true);
    assert.equal(writer.greet(), null);
    assert.ok(writer.ended);
    reader.send(getData("/")).send(put("/", "x")).send({ kind: "ping" }, -2);
    assert.deepEqual(reader.heard(), ["1 ok", "2 notReadOnly", "-2 ok"]);
    server.front.setMode("ordinary");
    server.run();
    assert.ok(reader.ended);
  });
});

suite("the mode of a server", () => {
  test("changes for everybody: who had a session under the other one begins anew", () => {
    const server = new PlayedServer();
    const [writer, greeting] = [server.connect(1), server.connect(2)];
    writer.greet();
    server.front.setMode("ordinary");
    server.run();
    assert.equal(writer.ended, undefined);
    server.front.setMode("readOnly");
    server.run();
    assert.equal(writer.ended, "the server is cut off");
    assert.equal(greeting.greet({ readOnly: true })?.readOnly, true);
  });
});

suite("a server that asks nobody who he is", () => {
  test("lets everybody do everything", () => {
    const stage = new Stage();
    const [strict, open] = [new PlayedServer(stage), new PlayedServer(stage, 2, { skipAcl: true })];
    const [owner, stranger, other] = [strict.connect(1), strict.connect(2), open.connect(3)];
    for (const client of [owner, stranger, other]) client.greet();
    const acl = [{ permissions: 31, id: { scheme: "digest", id: "user:hash" } }];
    assert.deepEqual(owner.send(make("/mine", { acl })).heard(), ["1 ok"]);
    assert.deepEqual(stranger.send(getData("/mine")).heard(), ["1 noAuth"]);
    assert.deepEqual(other.send(getData("/mine")).send(put("/mine", "x")).heard(), ["1 ok", "2 ok"]);
  });
});

suite("four-letter words", () => {
  test("are told from lengths, as the first bytes of a connection only", () => {
    const server = new PlayedServer();
    server.connect(1).bytes(utf8Bytes("ru"));
    server.take(clientId(1), utf8Bytes("ok"));
    assert.deepEqual(server.log, ["ruok"]);
    const client = server.connect(2);
    client.greet();
    client.bytes(utf8Bytes("ruok"));
    assert.deepEqual(server.log, ["ruok"]);
    assert.ok(client.ended);
  });
});

test("a snapshot that takes the place of the state drops everybody", () => {
  const stage = new Stage();
  const server = new PlayedServer(stage);
  const client = server.connect(1);
  client.greet();
  const snapshot = stage.tree.snapshot();
  const restoration = stage.tree.restore(stage.tree.applied);
  for (let chunk = snapshot.next(); chunk !== null; chunk = snapshot.next()) restoration.accept(chunk);
  restoration.finish();
  server.run();
  assert.match(client.ended ?? "", /snapshot/);
});
