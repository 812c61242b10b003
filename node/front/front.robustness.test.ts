// Clients that mean no good, or cannot do better.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { Id } from "../wire/client/acl.ts";
import { writeRequestHeader } from "../wire/client/header.ts";
import { JuteWriter } from "../wire/client/jute.ts";
import { OPERATIONS } from "../wire/client/operation.ts";
import { MOST_ID_BYTES, MOST_IDS } from "./client-connection.ts";
import { frameOf } from "./frame.ts";
import { authenticate, type PlayedClient, PlayedServer, requestFrame } from "../testing/front/front-stage.ts";
import { make, put, Stage } from "../testing/tree/stage.ts";

suite("a bad client", () => {
  const nonsense: [string, Uint8Array][] = [
    ["a length of two billion", Uint8Array.of(0x7f, 0xff, 0xff, 0xff)],
    ["a negative length", Uint8Array.of(0xff, 0xff, 0xff, 0xff)],
    ["a length just beyond the limit", Uint8Array.of(0, 0x10, 0, 0)],
    ["an empty frame", Uint8Array.of(0, 0, 0, 0)],
    ["a frame shorter than a header", Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 1)],
  ];
  for (const [what, bytes] of nonsense) {
    test(`that sends ${what} is dropped, and nobody else notices`, () => {
      const server = new PlayedServer();
      const [bad, good] = [server.connect(1), server.connect(2)];
      bad.greet();
      good.greet();
      bad.bytes(bytes);
      assert.ok(bad.ended);
      assert.deepEqual(good.send(make("/a")).heard(), ["1 ok"]);
    });
  }

  test("never makes the front throw", () => {
    const server = new PlayedServer();
    const good = server.connect(1);
    good.greet();
    const frame = fc.tuple(
      fc.constantFrom(...Object.values(OPERATIONS), 99),
      fc.uint8Array({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(frame, { maxLength: 5 }),
        fc.uint8Array(),
        (greets, frames, rest) => {
          const bad = server.connect(2);
          if (greets) bad.greet();
          for (const [operation, body] of frames) {
            bad.bytes(
              frameOf(writeRequestHeader(new JuteWriter(), { xid: 1, operation }).raw(body).finish()),
            );
          }
          bad.bytes(rest);
          server.front.closed(bad.id);
          server.run();
          assert.equal(server.front.connections.size, 1);
        },
      ),
      { numRuns: 2000 },
    );
    assert.deepEqual(good.send({ kind: "ping" }, -2).heard(), ["-2 ok"]);
  });

  test("that says nothing is dropped, after five seconds or when its session times out", () => {
    const server = new PlayedServer();
    const [silent, quiet, lively] = [server.connect(1), server.connect(2), server.connect(3)];
    for (const client of [quiet, lively]) client.greet({ timeoutMs: 8000 });
    server.pass(5001);
    lively.send({ kind: "ping" }, -2);
    server.pass(3000);
    assert.deepEqual(
      [silent.ended, quiet.ended, lively.ended],
      ["no session in time", "it fell silent", undefined],
    );
  });

  test("that dawdles over its first frame is dropped as well", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    client.bytes(Uint8Array.of(0, 0, 0, 45));
    for (let second = 0; second < 7; second++) {
      server.pass(1000);
      client.bytes(Uint8Array.of(0));
    }
    assert.equal(client.ended, "no session in time");
  });

  test("who comes and vanishes ten thousand times leaves only sessions that will expire", () => {
    const stage = new Stage();
    const server = new PlayedServer(stage);
    for (let number = 1; number <= 10_000; number++) {
      const client = server.connect(number);
      client.greet();
      client.send({ kind: "exists", path: "/x", watch: true });
      server.front.closed(client.id);
      client.frames();
      server.run();
    }
    assert.equal(server.front.connections.size, 0);
    assert.equal(stage.tree.watches.counts.watches, 0);
    assert.equal(stage.tree.state.sessions.size, 10_000);
  });

  test("that watches a hundred thousand znodes leaves others in peace, and nothing when it goes", () => {
    const stage = new Stage();
    const server = new PlayedServer(stage);
    const [many, other] = [server.connect(1), server.connect(2)];
    for (const client of [many, other]) client.greet();
    for (let number = 0; number < 100_000; number++) {
      many.send({ kind: "exists", path: `/${number}`, watch: true });
      many.frames();
    }
    assert.equal(stage.tree.watches.counts.watches, 100_000);
    assert.deepEqual(other.send({ kind: "ping" }, -2).heard(), ["-2 ok"]);
    server.front.closed(many.id);
    assert.deepEqual(stage.tree.watches.counts, { clients: 0, paths: 0, watches: 0 });
  });
});

suite("a client of many names", () => {
  const OK = "-4 ok";

  function named(names: Iterable<string>): {
    heard: string[];
    ended: string | undefined;
    ids: readonly Id[];
  } {
    const server = new PlayedServer();
    const client = server.connect(1);
    client.greet();
    for (const name of names) if (client.ended === undefined) client.send(authenticate("digest", name), -4);
    const { ids = [] } = server.front.connections.get(client.id) ?? {};
    return { heard: client.heard(), ended: client.ended, ids };
  }

  test("is who it says up to a number, and refused and dropped beyond it", () => {
    const names = Array.from({ length: MOST_IDS - 1 }, (_, number) => `${number}:secret`);
    assert.ok(named(names).heard.every((answer) => answer === OK));
    const { heard, ended } = named([...names, "one more:secret"]);
    assert.deepEqual([heard.at(-1), ended], ["-4 authFailed", "its client ended it"]);
  });

  test("has no names of any length together, whatever bytes they are of", () => {
    const long = "x".repeat(MOST_ID_BYTES / 4);
    assert.deepEqual(named(["1", "2", "3", "4"].map((name) => `${name}${long}:`)).heard, [
      OK,
      OK,
      OK,
      "-4 authFailed",
    ]);
    assert.deepEqual(named(["é".repeat(MOST_ID_BYTES / 2)]).heard, ["-4 authFailed"]);
  });

  test("that says the same again and again is remembered once", () => {
    const { heard, ids } = named(Array.from({ length: 1000 }, () => "bob:secret"));
    assert.ok(heard.length === 1000 && heard.every((answer) => answer === OK));
    assert.equal(ids.length, 2);
  });
});

suite("a client that never waits for answers", () => {
  const all = (frames: readonly Uint8Array[]): Uint8Array =>
    Uint8Array.from(frames.flatMap((frame) => [...frame]));
  const askedBy = (server: PlayedServer, { id }: PlayedClient): number =>
    server.front.connections.get(id)?.asked ?? 0;

  test("is read no further either when the server knows all answers but the first", () => {
    const server = new PlayedServer();
    const client = server.connect(1);
    client.greet();
    server.holding = true;
    client.send(make("/a"));
    client.bytes(all(Array.from({ length: 3000 }, () => requestFrame(authenticate("ip", ""), -4))));
    assert.deepEqual(server.log, ["pause"]);
    assert.equal(askedBy(server, client), 1000);
    server.release();
    assert.deepEqual(server.log.slice(0, 2), ["pause", "resume"]);
    assert.equal(client.frames().length, 3001);
  });

  test("owes with each request also who it is", () => {
    const server = new PlayedServer();
    const clients = [server.connect(1), server.connect(2)];
    for (const client of clients) {
      client.greet();
      client.send(authenticate("digest", `${"x".repeat(MOST_ID_BYTES - 100)}:secret`), -4);
    }
    server.holding = true;
    const questions = all(Array.from({ length: 950 }, (_, index) => requestFrame(put("/", "x"), index)));
    for (const client of clients) client.bytes(questions.slice());
    assert.deepEqual(server.log, ["pause"], "8 MB are fewer than 1900 times 5 kB");
    server.release();
    for (const client of clients) {
      assert.equal(client.frames().length, 951);
      assert.equal(askedBy(server, client), 0);
    }
  });
});
