// Stories of one client in virtual time: what it says on the wire, to which server, when, and what it tells.

import { utf8Bytes } from "../core/utf8.ts";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Random } from "../core/random.ts";
import { milliseconds } from "../core/time.ts";
import { ERRORS } from "../wire/client/error.ts";
import { XID } from "../wire/client/header.ts";

import type { ClientRequest } from "../wire/client/request.ts";
import { EVENT_TYPES } from "../wire/client/watch.ts";
import type { Policy } from "./policy.ts";
import { Question, replyTo } from "./question.ts";
import { answer, event, TIMEOUT_MS, Told } from "../testing/client/session-story.ts";

const read = (path: string, watch = false): ClientRequest => ({ kind: "getData", path, watch });
const remove = (path: string): ClientRequest => ({ kind: "delete", path, version: -1 });

suite("a session begins", () => {
  test("with a handshake, and nothing that was asked goes out before it is answered", () => {
    const told = new Told().ask(["a", read("/a")]);
    assert.deepEqual(told.heard(), ["connect 0"]);
    assert.deepEqual(told.said(), []);
    told.do({ kind: "connected" });
    assert.deepEqual(told.said(), ["hello 0 zxid 0"]);
    told.welcomes(7);
    assert.deepEqual(told.heard(), ["begun"]);
    assert.deepEqual(told.said(), ["1 getData /a"]);
  });

  test("a server that takes the connection and says nothing is left for the next", () => {
    const told = new Told({ patience: milliseconds(500) });
    told.do({ kind: "connected" }).pass(499);
    assert.deepEqual(told.heard(), ["connect 0"]);
    told.pass(1);
    assert.deepEqual(told.heard(), ["disconnect", "closed: no session in time", "connect 1"]);
  });

  test("when all servers were tried in vain it waits before it tries them again", () => {
    const told = new Told({ pause: milliseconds(50) });
    for (let server = 0; server < 3; server++) told.do({ kind: "disconnected" });
    const closed = "closed: the connection ended";
    assert.deepEqual(told.heard(), ["connect 0", closed, "connect 1", closed, "connect 2", closed]);
    assert.deepEqual(told.pass(49).heard(), []);
    assert.deepEqual(told.pass(1).heard(), ["connect 0"]);
  });

  test("who it is is said before anything else, and one who is not believed is told and left alone", () => {
    const auth = { kind: "auth", scheme: "digest", credentials: utf8Bytes("me:mine") } as const;
    const told = new Told({ auth: [auth] }).ask(["a", read("/a")]).opens();
    assert.deepEqual(told.said(), [`${XID.auth} auth`, "1 getData /a"]);
    told.answers(XID.auth, 0, ERRORS.authFailed);
    assert.deepEqual(told.heard().slice(2), [
      "auth failed",
      "disconnect",
      "lost a",
      "closed: it was not believed",
      "ended",
    ]);
    assert.deepEqual(told.pass(60_000).heard(), []);
  });
});

suite("answers", () => {
  test("come in the order of the questions, whatever pieces they come in", () => {
    const told = new Told().opens().ask(["a", read("/a")], ["b", remove("/b")], ["c", read("/c")]);
    assert.deepEqual(told.said(), ["1 getData /a", "2 delete /b", "3 getData /c"]);
    told.heard();
    const bytes = [answer(1, 5, ERRORS.noNode), answer(2, 6), answer(3, 6, ERRORS.noNode)];
    for (const byte of Uint8Array.from(bytes.flatMap((each) => [...each]))) told.hears(Uint8Array.of(byte));
    assert.deepEqual(told.heard(), ["answer a -101 5", "answer b 0 6", "answer c -101 6"]);
    assert.equal(told.session.lastZxid, 6);
    assert.equal(told.session.underWay, 0);
  });

  test("one out of turn ends the connection, because nothing behind it can be believed", () => {
    const told = new Told().opens().ask(["a", read("/a")], ["b", read("/b")]);
    told.heard();
    told.hears(Uint8Array.from([...answer(2, 5), ...answer(1, 5)]));
    assert.deepEqual(told.heard(), [
      "disconnect",
      "lost a",
      "lost b",
      "closed: an answer out of turn",
      "connect 1",
    ]);
  });

  test("a length that no frame has ends the connection", () => {
    const told = new Told().opens();
    told.heard();
    told.hears(Uint8Array.of(0x7f, 0, 0, 0));
    assert.deepEqual(told.heard(), ["disconnect", "closed: a frame of impossible length", "connect 1"]);
  });

  test("are read by what was asked", () => {
    const exists = new Question({ kind: "exists", path: "/a", watch: false });
    const names = new Question({ kind: "getChildren", path: "/a", watch: false });
    const frame = answer(1, 5, ERRORS.ok, { kind: "getChildren", names: ["x", "y"] }).subarray(4);
    assert.deepEqual(replyTo(names, frame), { kind: "getChildren", names: ["x", "y"] });
    assert.equal(replyTo(exists, frame), null, "too short");
    assert.equal(replyTo(names, Uint8Array.of(...frame, 0)), null, "goes on behind");
  });
});

suite("pace", () => {
  const three = [read("/a"), read("/b"), read("/c")].map((request, index) => [`${index}`, request] as const);

  test("a closed loop asks the next when the last is answered", () => {
    const told = new Told({ pace: { kind: "closed" } }).opens().ask(...three);
    assert.deepEqual(told.said(), ["1 getData /a"]);
    assert.deepEqual(told.answers(1, 1, ERRORS.noNode).said(), ["2 getData /b"]);
  });

  test("a window has so many under way", () => {
    const told = new Told({ pace: { kind: "window", underWay: 2 } }).opens().ask(...three);
    assert.deepEqual(told.said(), ["1 getData /a", "2 getData /b"]);
    assert.deepEqual(told.answers(1, 1, ERRORS.noNode).said(), ["3 getData /c"]);
  });

  test("an open loop asks at once, but no more than the connection takes", () => {
    const told = new Told().opens();
    told.ask(...Array.from({ length: 600 }, (_, index) => [`${index}`, read("/a")] as const));
    assert.equal(told.said().length, 256);
    assert.ok(told.heard().includes("more"));
    told.do({ kind: "full" }).do({ kind: "flush" });
    assert.deepEqual(told.said(), []);
    assert.equal(told.do({ kind: "room" }).said().length, 256);
    assert.equal(told.do({ kind: "room" }).said().length, 88);
    assert.deepEqual(told.heard(), ["more"]);
  });

  test("the numbers of requests follow each other from one connection to the next", () => {
    const told = new Told().opens().ask(["a", read("/a")]);
    told
      .do({ kind: "disconnected" })
      .opens()
      .ask(["b", read("/b")]);
    assert.deepEqual(told.said(), ["1 getData /a", "2 getData /b"]);
  });
});

suite("a connection ends", () => {
  test("what was under way is lost, what waits goes to the next, which is shown the session", () => {
    const told = new Told()
      .opens()
      .ask(["a", remove("/a")])
      .answers(1, 9);
    told.ask(["b", remove("/b")]);
    told.heard();
    told.said();
    told.do({ kind: "disconnected" }).ask(["c", remove("/c")]);
    assert.deepEqual(told.heard(), ["lost b", "closed: the connection ended", "connect 1"]);
    told.do({ kind: "connected" });
    assert.deepEqual(told.said(), ["hello 7 with password zxid 9"]);
    assert.deepEqual(told.welcomes(7).heard(), ["resumed"]);
    assert.deepEqual(told.said(), ["3 delete /c"]);
  });

  test("reads may be asked again, before what waits, and writes are not", () => {
    const told = new Told({ retry: "reads", pace: { kind: "window", underWay: 3 } }).opens();
    told.ask(["a", read("/a")], ["b", remove("/b")], ["c", read("/c")], ["d", remove("/d")]);
    told.heard();
    told.said();
    told.do({ kind: "disconnected" }).opens();
    assert.deepEqual(told.heard(), ["lost b", "closed: the connection ended", "connect 1", "resumed"]);
    assert.deepEqual(told.said(), ["4 getData /a", "5 getData /c", "6 delete /d"]);
  });

  test("a server that is silent for two thirds of the timeout is left, pinged at one third", () => {
    const told = new Told().opens();
    told.heard();
    assert.deepEqual(told.pass(999).said(), []);
    assert.deepEqual(told.pass(1).said(), [`${XID.ping} ping`]);
    assert.deepEqual(told.pass(999).heard(), []);
    assert.deepEqual(told.pass(1).heard(), ["disconnect", "closed: it was silent for too long", "connect 1"]);
  });

  test("a server that answers pings is not left", () => {
    const told = new Told().opens();
    for (let third = 0; third < 30; third++) told.pass(1000).answers(XID.ping, 0);
    assert.deepEqual(told.heard(), ["connect 0", "begun"]);
    assert.equal(told.said().length, 30);
  });

  test("with pings left to its user it waits for ever", () => {
    const told = new Told({ pings: "when asked" }).opens().pass(60_000);
    assert.deepEqual(told.heard(), ["connect 0", "begun"]);
    told.ask(["mine", { kind: "ping" }]).answers(XID.ping, 4);
    assert.deepEqual(told.heard(), ["answer mine 0 4"]);
  });

  test("it waits to be told, where its user wants that", () => {
    const told = new Told({ reconnect: "when told" }).opens();
    told.do({ kind: "disconnected" }).pass(60_000);
    assert.deepEqual(told.heard(), ["connect 0", "begun", "closed: the connection ended"]);
    assert.deepEqual(told.do({ kind: "connect", server: 2 }).heard(), ["connect 2"]);
    assert.deepEqual(told.do({ kind: "connected" }).said(), ["hello 7 with password zxid 0"]);
    told.do({ kind: "leave" }).do({ kind: "connect", anew: true }).do({ kind: "connected" });
    assert.deepEqual(told.said(), ["hello 0 zxid 0"]);
  });
});

suite("where it goes on", () => {
  const journey = (policy: Partial<Policy>, deeds: readonly ("opens" | "ends")[]): number[] => {
    const told = new Told({ pause: milliseconds(0), ...policy });
    for (const deed of deeds) {
      if (deed === "opens") told.opens();
      else told.do({ kind: "disconnected" }).pass(0);
    }
    return told
      .heard()
      .filter((line) => line.startsWith("connect "))
      .map((line) => Number(line.slice("connect ".length)));
  };

  test("in turn, always the same, or the nearest after a loss", () => {
    const deeds = ["opens", "ends", "ends", "opens", "ends"] as const;
    assert.deepEqual(journey({ order: { kind: "next" }, first: 1 }, deeds), [1, 2, 0, 1]);
    assert.deepEqual(journey({ order: { kind: "fixed" } }, deeds), [0, 0, 0, 0]);
    assert.deepEqual(journey({ order: { kind: "nearest first" } }, deeds), [0, 1, 2, 0]);
  });

  test("shuffled: in each round every server once, by the seed alone", () => {
    const ends = Array.from({ length: 29 }, () => "ends" as const);
    const [one, same, other] = [5, 5, 6].map((seed) =>
      journey({ order: { kind: "shuffled", random: new Random(seed) } }, ends),
    );
    assert.deepEqual(one, same);
    assert.notDeepEqual(one, other);
    for (let round = 0; round < 30; round += 3) {
      assert.deepEqual(one?.slice(round, round + 3).sort(), [0, 1, 2]);
    }
  });
});

suite("a session ends", () => {
  test("by its timeout: its user is told, and a new one begins from nothing", () => {
    const told = new Told()
      .opens()
      .ask(["a", read("/a", true)])
      .answers(1, 9);
    told.do({ kind: "disconnected" });
    told.heard();
    told.said();
    told.do({ kind: "connected" }).welcomes(0, 0);
    assert.deepEqual(told.heard(), ["expired", "disconnect", "closed: its session has expired", "connect 2"]);
    told.said();
    told.do({ kind: "connected" });
    assert.deepEqual(told.said(), ["hello 0 zxid 0"]);
    assert.deepEqual(told.welcomes(8).heard(), ["begun"]);
    assert.deepEqual(told.said(), [], "the watches were the old session's");
  });

  test("by its timeout, for good where its user wants that; so does a wrong password", () => {
    const told = new Told({ afterExpiry: "end" }).opens();
    told.do({ kind: "disconnected" }).do({ kind: "connected" }).welcomes(0, 0);
    assert.deepEqual(told.heard().slice(-4), [
      "expired",
      "disconnect",
      "closed: its session has expired",
      "ended",
    ]);
  });

  test("closed by its client, it is over when a server says so, and not shown again", () => {
    const told = new Told()
      .opens()
      .ask(["a", { kind: "closeSession" }])
      .answers(1, 9);
    told.do({ kind: "disconnected" }).do({ kind: "connected" });
    assert.deepEqual(told.said().slice(-1), ["hello 0 zxid 0"]);
  });

  test("a client that leaves for good says so, and waits for the answer as long as for a session", () => {
    const told = new Told({ patience: milliseconds(400) }).opens().ask(["a", read("/a")]);
    told.heard();
    told.said();
    told.do({ kind: "close" });
    assert.deepEqual(told.said(), ["2 closeSession"]);
    told.answers(1, 3, ERRORS.noNode).answers(2, 4);
    const left = ["disconnect", "closed: its session has ended", "ended, acknowledged"];
    assert.deepEqual(told.heard(), ["answer a -101 3", ...left]);

    const other = new Told({ patience: milliseconds(400) }).opens().do({ kind: "close" });
    assert.deepEqual(other.pass(399).heard(), ["connect 0", "begun"]);
    assert.deepEqual(other.pass(1).heard().slice(-1), ["ended"]);
  });
});

suite("watches", () => {
  const { dataChanged, childrenChanged } = EVENT_TYPES;

  test("are set again at the next server, those that have not fired, with what was seen", () => {
    const told = new Told().opens();
    told.ask(["d", read("/d", true)], ["n", { kind: "exists", path: "/n", watch: true }]);
    told.ask(["c", { kind: "getChildren", path: "/c", watch: true }], ["f", read("/f", true)]);
    told.answers(1, 5).answers(2, 5, ERRORS.noNode).answers(3, 5).answers(4, 6);
    told.hears(event(dataChanged, "/f"));
    assert.deepEqual(told.heard().slice(-1), ["watch 3 /f"]);
    told.said();
    told
      .do({ kind: "disconnected" })
      .ask(["z", read("/z")])
      .opens();
    assert.deepEqual(told.said(), [`${XID.setWatches} setWatches 6 /d /n /c  `, "5 getData /z"]);
    told.answers(XID.setWatches, 8);
    assert.deepEqual(told.heard().slice(-1), ["watching"]);
    assert.equal(told.session.lastZxid, 6, "nothing was shown of what is between");
  });

  test("persistent ones stay when they fire, and need setWatches2", () => {
    const told = new Told().opens();
    told.ask(
      ["p", { kind: "addWatch", path: "/p", mode: 0 }],
      ["r", { kind: "addWatch", path: "/r", mode: 1 }],
    );
    told.answers(1, 5).answers(2, 5).hears(event(childrenChanged, "/p"));
    told.said();
    told.do({ kind: "disconnected" }).opens();
    assert.deepEqual(told.said(), [`${XID.setWatches} setWatches2 5    /p /r`]);
  });

  test("many are set with several requests, and are said to be set after the last", () => {
    const told = new Told().opens();
    const long = "x".repeat(1000);
    for (let index = 0; index < 300; index++) {
      told.ask([`${index}`, read(`/${index}${long}`, true)]).answers(index + 1, 5);
    }
    told.heard();
    told.said();
    told.do({ kind: "disconnected" }).opens();
    assert.equal(told.said().length, 3);
    told.answers(XID.setWatches, 5).answers(XID.setWatches, 5);
    assert.ok(!told.heard().includes("watching"));
    assert.deepEqual(told.answers(XID.setWatches, 5).heard(), ["watching"]);
  });

  test("are not kept where its user keeps them", () => {
    const told = new Told({ watches: "left" })
      .opens()
      .ask(["d", read("/d", true)])
      .answers(1, 5);
    told.said();
    assert.deepEqual(told.do({ kind: "disconnected" }).opens().said(), []);
  });
});

test("a session of a server that is cut off is shown to no other", () => {
  const told = new Told({ readOnly: true }).opens(1, TIMEOUT_MS, true);
  assert.deepEqual(told.heard(), ["connect 0", "begun read-only"]);
  told.do({ kind: "disconnected" }).do({ kind: "connected" });
  assert.deepEqual(told.said(), ["hello 0 zxid 0"]);
});
