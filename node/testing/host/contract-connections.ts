/** The contract's sentences about connections, and about what comes in on them. */

import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { serverId } from "../../core/identity.ts";
import { milliseconds, seconds } from "../../core/time.ts";
import { checkLife, checkTurns } from "./contract-check.ts";
import type { HostMaker } from "./contract-probe.ts";
import { Scene } from "./contract-scene.ts";
import { one, say, sentence, two, upTo } from "./contract-story.ts";

export function connections(maker: HostMaker): void {
  sentence(
    maker,
    7,
    "connected and unreachable alternate, and what is sent meanwhile is dropped",
    async () => {
      await using scene = await Scene.open(maker, 2);
      await scene.host.start(one);
      scene.ask(one, say(1));
      await scene.host.start(two);
      await scene.untilConnected(one, two);
      await scene.untilConnected(two, one);
      scene.ask(one, say(2));
      await scene.untilHeard(two, 2);
      await scene.host.crashProcess(two);
      await scene.untilUnreachable(one, two);
      scene.ask(one, say(3));
      await scene.host.start(two);
      await scene.untilConnected(one, two);
      scene.ask(one, say(4));
      await scene.untilHeard(two, 4);
      deepEqual(
        scene
          .lives(two)
          .map(({ inputs }) =>
            inputs.flatMap(({ input }) => (input.kind === "message" ? input.message.number : [])),
          ),
        [[2], [4]],
      );
      for (const server of scene.servers) for (const probe of scene.lives(server)) checkLife(server, probe);
    },
  );

  sentence(maker, 9, "a server is never connected to itself, and hears nothing from itself", async () => {
    await using scene = await Scene.connected(maker, 2);
    try {
      scene.ask(one, { kind: "send", to: [one], message: { channel: "bulk", number: 1, padding: 0 } });
      await scene.host.pass(milliseconds(50));
    } catch {
      // A host may take it for the bug that it is, and stop.
    }
    deepEqual(scene.heard(one), []);
    checkLife(one, scene.probe(one));
  });

  sentence(maker, 11, "close ends the connection on both sides, and the host connects again", async () => {
    await using scene = await Scene.connected(maker, 3);
    for (const [closer, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const before = [scene.connections(one, two), scene.connections(two, one)];
      scene.ask(closer, { kind: "close", server: other, reason: "the test says so" });
      await scene.host.until(
        "both are connected anew",
        () =>
          scene.connections(one, two) > (before[0] ?? 0) && scene.connections(two, one) > (before[1] ?? 0),
      );
      await scene.untilConnected(one, two);
      await scene.untilConnected(two, one);
    }
    scene.ask(one, say(1));
    await scene.untilHeard(two, 1);
    equal(scene.connections(one, serverId(3)), 1, "other connections are left alone");
    for (const server of scene.servers) checkLife(server, scene.probe(server));
  });
}

export function channels(maker: HostMaker): void {
  sentence(maker, 8, "messages of one channel arrive in the order sent, each once", async () => {
    await using scene = await Scene.connected(maker, 2);
    for (const number of upTo(300))
      scene.ask(one, say(number, number % 3 === 0 ? "control" : "bulk", number % 700));
    await scene.host.until("all are heard", () => scene.heard(two).length >= 300);
    deepEqual(
      scene.heard(two, "bulk"),
      upTo(300).filter((number) => number % 3 !== 0),
    );
    deepEqual(
      scene.heard(two, "control"),
      upTo(300).filter((number) => number % 3 === 0),
    );
  });

  sentence(maker, 8, "what is lost is a suffix, and ends in unreachable", async () => {
    await using scene = await Scene.connected(maker, 2);
    for (let round = 1; round <= 5; round++) {
      const heard = scene.heard(two).length;
      for (const number of upTo(400)) scene.ask(one, say(number, "bulk", 5000));
      await scene.host.until("some are heard", () => scene.heard(two).length > heard);
      await scene.host.crashProcess(one);
      await scene.untilUnreachable(two, one);
      const arrived = scene.heard(two).slice(heard);
      deepEqual(arrived, upTo(arrived.length));
      await scene.host.start(one);
      await scene.untilConnected(one, two);
      await scene.untilConnected(two, one);
    }
    checkLife(two, scene.probe(two));
  });

  sentence(maker, 8, "control messages do not wait behind bulk", async () => {
    await using scene = await Scene.connected(maker, 2);
    const chunk = 256 * 1024;
    scene.ask(one, ...upTo(64).map((number) => say(number, "bulk", chunk)), say(100, "control"));
    await scene.host.until("all are heard", () => scene.heard(two).length === 65);
    notEqual(scene.heard(two).at(-1), 100, "the control message came last");
  });
}

export function crashes(maker: HostMaker): void {
  sentence(maker, 10, "when a process dies, those connected to it get unreachable", async () => {
    await using scene = await Scene.connected(maker, 3);
    await scene.host.crashProcess(two);
    await scene.untilUnreachable(one, two);
    await scene.untilUnreachable(serverId(3), two);
    ok(scene.isConnected(one, serverId(3)));
  });

  sentence(
    maker,
    10,
    "when a machine dies, nothing comes at all",
    async () => {
      await using scene = await Scene.connected(maker, 2);
      await scene.host.crashMachine?.(two);
      const before = scene.probe(one).inputs.length;
      await scene.host.pass(milliseconds(500));
      equal(scene.probe(one).inputs.length, before);

      await scene.host.start(two);
      scene.ask(one, say(1));
      await scene.host.until("they are connected anew", () => scene.connections(one, two) === 2);
      await scene.untilConnected(two, one);
      deepEqual(scene.heard(two), [], "the new life knows nothing of the old connection");
      checkLife(one, scene.probe(one));
    },
    "crashMachine",
  );

  sentence(
    maker,
    10,
    "when the network is cut, nothing comes at all",
    async () => {
      await using scene = await Scene.connected(maker, 2);
      await scene.host.cut?.(one, two);
      await scene.host.cut?.(two, one);
      for (const number of upTo(10)) scene.ask(one, say(number));
      const before = scene.probe(two).inputs.length;
      await scene.host.pass(milliseconds(500));
      equal(scene.probe(two).inputs.length, before);
      ok(scene.isConnected(one, two));

      await scene.host.heal?.(one, two);
      await scene.host.heal?.(two, one);
      await scene.untilHeard(two, 10);
      deepEqual(scene.heard(two), upTo(10), "what was under way arrives once the network is whole");
    },
    "cut",
  );
}

export function forgotten(maker: HostMaker): void {
  sentence(
    maker,
    14,
    "a bulk channel that is forgotten on the way ends in unreachable, and a new one is made",
    async () => {
      await using scene = await Scene.connected(maker, 2);
      await scene.host.forgetBulk?.(one, two);
      scene.ask(one, say(1), say(2, "control"));
      await scene.untilHeard(two, 2);
      deepEqual(scene.heard(two), [2], "control goes on");
      await scene.untilUnreachable(one, two);
      await scene.untilUnreachable(two, one);
      await scene.untilConnected(one, two);
      await scene.untilConnected(two, one);
      scene.ask(one, say(3));
      await scene.untilHeard(two, 3);
      deepEqual(scene.heard(two), [2, 3]);
    },
    "forgetBulk",
  );

  sentence(maker, 14, "one that is not is left alone, however long nothing is said", async () => {
    await using scene = await Scene.connected(maker, 2);
    await scene.host.pass(seconds(8));
    ok(scene.isConnected(one, two));
    equal(scene.connections(one, two), 1);
  });
}

export function turnsAndNonsense(maker: HostMaker): void {
  sentence(
    maker,
    12,
    "every batch of inputs that were at hand together is followed by one turn",
    async () => {
      await using scene = await Scene.connected(maker, 2);
      await scene.host.pass(milliseconds(50));
      const { inputs } = scene.probe(one);
      const before = inputs.length;
      for (const number of upTo(40)) scene.ask(one, say(number));
      await scene.untilHeard(two, 40);
      await scene.host.pass(milliseconds(50));
      const kinds = inputs.slice(before).map(({ input }) => input.kind);
      deepEqual(kinds, [...Array.from({ length: 40 }, () => "request"), "turn"]);
      for (const server of scene.servers) checkTurns(server, scene.probe(server));
    },
  );

  sentence(
    maker,
    13,
    "a frame that cannot be decoded closes its connection; the replica lives",
    async () => {
      await using scene = await Scene.connected(maker, 2);
      await scene.host.inject?.(one, two, Uint8Array.of(0, 0, 0, 5, 9, 9, 9, 9, 9));
      await scene.host.until("they are connected anew", () => scene.connections(two, one) === 2);
      await scene.untilConnected(one, two);
      scene.ask(one, say(1));
      await scene.untilHeard(two, 1);
      equal(scene.lives(two).length, 1);
      for (const server of scene.servers) checkLife(server, scene.probe(server));
    },
    "inject",
  );
}
