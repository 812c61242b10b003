// When sessions of a whole ensemble live on, and when they end.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ConnectResponse } from "../wire/client/handshake.ts";
import { create, type StagedClient, StagedEnsemble } from "../testing/front/server-stage.ts";
import type { ClientRequest } from "../wire/client/request.ts";

/** A client with a session of so many milliseconds. */
function began(ensemble: StagedEnsemble, server: number, timeoutMs: number): [StagedClient, ConnectResponse] {
  const client = ensemble.connect(server);
  return [client, client.greet({ timeoutMs }) ?? assert.fail("no session")];
}

suite("when the quorum was lost for longer than sessions last", () => {
  test("they live on when it returns, for their clients to take up again within a whole timeout", () => {
    const ensemble = new StagedEnsemble(3);
    const given = [1, 2, 3].map((server) => began(ensemble, server, 6000)[1]);
    ensemble.partition();
    ensemble.pass(8000);
    ensemble.unite();
    ensemble.pass(5000);
    for (const [index, { session, password }] of given.entries()) {
      assert.ok(ensemble.at(ensemble.leader).hasSession(session), `of server ${index + 1}`);
      assert.equal(
        ensemble.connect(index + 1).greet({ session, password, timeoutMs: 6000 })?.session,
        session,
      );
    }
  });

  test("nor do those end sooner whose server is still down", () => {
    const ensemble = new StagedEnsemble(3);
    const leader = ensemble.leader;
    const [down, other] = [1, 2, 3].filter((server) => server !== leader) as [number, number];
    const [, { session }] = began(ensemble, down, 6000);
    ensemble.partition();
    ensemble.pass(8000);
    ensemble.heal(leader, other);
    ensemble.pass(5500);
    assert.ok(ensemble.at(leader).hasSession(session));
    ensemble.pass(5000);
    assert.ok(!ensemble.at(leader).hasSession(session), "but they do end");
  });
});

suite("the leader vouches for the sessions of whoever serves under it, and of nobody else:", () => {
  for (const [what, drops] of [
    ["cannot join", "join"],
    ["does not become level", "ackEpoch"],
  ] as const) {
    test(`those of a server that is heard but ${what} end after their timeout`, () => {
      const ensemble = new StagedEnsemble(3);
      const { leader } = ensemble;
      const [apart = 0, other = 0] = [1, 2, 3].filter((server) => server !== leader);
      const [, { session }] = began(ensemble, apart, 6000);
      const [served, kept] = began(ensemble, other, 6000);
      ensemble.drops = (from, { part, message }) =>
        from === apart && part === "broadcast" && message.kind === drops;
      ensemble.cut(leader, apart);
      ensemble.heal(leader, apart);
      for (let seconds = 0; seconds < 8; seconds++) {
        ensemble.pass(1000);
        assert.equal(served.ask({ kind: "ping" }), 0);
      }
      assert.ok(!ensemble.at(leader).hasSession(session));
      assert.ok(ensemble.at(leader).hasSession(kept.session));
    });
  }
});

suite("a session that is resumed has its whole timeout again", () => {
  for (const servers of [1, 3]) {
    test(`at the same server, of ${servers}`, () => {
      const ensemble = new StagedEnsemble(servers);
      for (const server of Array.from({ length: servers }, (_, index) => index + 1)) {
        const [first, { session, password }] = began(ensemble, server, 10_000);
        ensemble.pass(7000);
        first.leave();
        ensemble.pass(2500);
        const again = ensemble.connect(server);
        assert.equal(again.greet({ session, password, timeoutMs: 10_000 })?.session, session);
        ensemble.pass(9000);
        assert.ok(ensemble.at(server).hasSession(session), `at server ${server}`);
        assert.equal(again.ask({ kind: "ping" }), 0);
      }
    });
  }

  test("although its last tick comes before a quorum has heard of it", () => {
    const ensemble = new StagedEnsemble(3);
    const [first, { session, password }] = began(ensemble, 1, 10_000);
    first.leave();
    const [[end] = assert.fail("it never ends")] = ensemble.at(1).server.expiring(ensemble.now);
    ensemble.pass((end - ensemble.now) / 1000 - 1);
    const again = ensemble.connect(1);
    again.sendGreeting({ session, password, timeoutMs: 10_000 });
    ensemble.pass(9000);
    assert.ok(ensemble.at(1).hasSession(session));
    assert.equal(again.ended, undefined);
  });
});

suite("the old connection of a session that was taken up at another server", () => {
  const ping: ClientRequest = { kind: "ping" };
  const read: ClientRequest = { kind: "getData", path: "/", watch: false };

  type Where = "leader" | "one" | "other";
  /** From the leader to a follower, and from there to another. */
  const MOVES = [
    ["the leader", "leader", "one"],
    ["a follower", "one", "other"],
  ] as const;

  function moved(from: Where, to: Where): { readonly old: StagedClient; readonly fresh: StagedClient } {
    const ensemble = new StagedEnsemble(3);
    const { leader } = ensemble;
    const [one, other] = [1, 2, 3].filter((server) => server !== leader) as [number, number];
    const places = { leader, one, other };
    const [old, { session, password }] = began(ensemble, places[from], 10_000);
    const fresh = ensemble.connect(places[to]);
    assert.equal(fresh.greet({ session, password, timeoutMs: 10_000 })?.session, session);
    ensemble.pass(100);
    return { old, fresh };
  }

  for (const [name, from, to] of MOVES) {
    test(`has its pings, reads and syncs answered by ${name}`, () => {
      const { old, fresh } = moved(from, to);
      const errors = [ping, read, { kind: "sync", path: "/" } as const, ping].map((request) =>
        old.ask(request),
      );
      assert.deepEqual(errors, [0, 0, 0, 0]);
      assert.equal(fresh.ask(create("/a")), 0);
      assert.equal(old.ended, undefined);
    });

    for (const request of [create("/a"), { kind: "closeSession" }] as const) {
      test(`is closed by ${name} without an answer to ${request.kind}; the new one notices nothing`, () => {
        const { old, fresh } = moved(from, to);
        assert.equal(old.ask(request), undefined);
        assert.equal(old.ended, "its client is at another server now");
        assert.deepEqual([fresh.ask(create("/a")), fresh.ended], [0, undefined]);
      });
    }

    test(`is closed by ${name} when the session ends`, () => {
      const { old, fresh } = moved(from, to);
      assert.equal(fresh.ask({ kind: "closeSession" }), 0);
      assert.equal(old.ask(ping), undefined);
      assert.equal(old.ended, "its session ended");
    });
  }
});

suite("a server that is cut off from its quorum", () => {
  const MODES = [true, false] as const;

  /** An ensemble, and one of its servers that leads or does not. */
  function ensembleAnd(leads: boolean): [StagedEnsemble, number, number] {
    const ensemble = new StagedEnsemble(3);
    const { leader } = ensemble;
    const [one, other] = [1, 2, 3].filter((server) => server !== leader) as [number, number];
    return leads ? [ensemble, leader, one] : [ensemble, one, other];
  }

  for (const leads of MODES) {
    test(`sends its clients to the others in time, ${leads ? "after it led" : "a follower"}`, () => {
      const [ensemble, lonely, other] = ensembleAnd(leads);
      const [idle, { session, password }] = began(ensemble, lonely, 4000);
      const greeting = ensemble.connect(lonely);
      for (const server of [1, 2, 3]) if (server !== lonely) ensemble.cut(lonely, server);
      greeting.sendGreeting({});
      ensemble.pass(1000);
      assert.deepEqual([idle.ended, greeting.ended], [undefined, undefined]);
      ensemble.pass(2000);
      assert.deepEqual([idle.ended, greeting.ended], ["the server is cut off", "the server is cut off"]);
      const late = ensemble.connect(lonely);
      late.sendGreeting({});
      assert.equal(late.ended, "the server is cut off");
      assert.equal(ensemble.connect(other).greet({ session, password, timeoutMs: 4000 })?.session, session);
    });
  }

  test("has nobody's session on its conscience, and takes clients when the others are back", () => {
    const ensemble = new StagedEnsemble(3);
    const [, { session, password }] = began(ensemble, 1, 4000);
    ensemble.partition();
    ensemble.pass(20_000);
    ensemble.unite();
    ensemble.pass(2000);
    const client = ensemble.connect(1);
    assert.equal(client.greet({ session, password, timeoutMs: 4000 })?.session, session);
    assert.equal(client.ask(create("/a")), 0);
  });

  test("for the time of an election keeps its clients, and what they asked is done", () => {
    const [ensemble, leader, follower] = ensembleAnd(true);
    const [client] = began(ensemble, follower, 4000);
    for (const server of [1, 2, 3]) if (server !== leader) ensemble.cut(leader, server);
    assert.equal(client.ask(create("/a")), 0);
    ensemble.pass(3000);
    assert.equal(client.ask(create("/b")), 0);
    assert.equal(client.ended, undefined);
  });
});

suite("a session whose client has fallen silent", () => {
  const [TIMEOUT, TICK] = [4000, 1000];

  for (const servers of [1, 3]) {
    test(`ends within a tick after its timeout, at each of ${servers}, whenever it was heard last`, () => {
      const ensemble = new StagedEnsemble(servers);
      for (let number = 0; number < 12; number++) {
        const server = (number % servers) + 1;
        const [client, { session }] = began(ensemble, server, TIMEOUT);
        ensemble.pass(130 * number);
        const heardAt = ensemble.now;
        assert.equal(client.ask({ kind: "ping" }), 0);
        while (ensemble.at(server).hasSession(session)) ensemble.pass(1);
        const lasted = (ensemble.now - heardAt) / 1000;
        assert.ok(lasted > TIMEOUT && lasted <= TIMEOUT + TICK + 10, `after ${lasted} ms`);
      }
    });
  }

  test("ends with thousands of others, some hundred at a time, and in time", () => {
    const ensemble = new StagedEnsemble(1);
    const { sessions } = ensemble.at(1).tree.state;
    const COUNT = 5000;
    for (let number = 0; number < COUNT; number++) ensemble.connect(1).sendGreeting({ timeoutMs: TIMEOUT });
    const began = ensemble.now;
    ensemble.pass(TIMEOUT);
    assert.equal(sessions.size, COUNT);
    let most = 0;
    for (let before = COUNT; sessions.size > 0; before = sessions.size) {
      ensemble.pass(1);
      most = Math.max(most, before - sessions.size);
    }
    assert.ok(most <= 500, `${most} ended at once`);
    assert.ok(ensemble.now - began <= (TIMEOUT + 2 * TICK) * 1000);
  });
});
