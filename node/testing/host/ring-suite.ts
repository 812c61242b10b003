/** The contract of the ring as tests: each sentence of `ring-contract.ts`, shown on a host of peers. */

import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "node:test";
import { serverId } from "../../core/identity.ts";
import { milliseconds } from "../../core/time.ts";
import { RING_OBLIGATIONS } from "../../election/medium/ring-contract.ts";
import type { HostMaker } from "./contract-probe.ts";
import { RingScene } from "./ring-probe.ts";

const [p1, p2, p3, p4] = [serverId(1), serverId(2), serverId(3), serverId(4)];
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

type Sentence = (number: number, title: string, story: () => Promise<void>) => void;

export function describeRing(maker: HostMaker): void {
  const told = new Set<number>();
  const sentence: Sentence = (number, title, story) => {
    told.add(number);
    test(`${number}. ${title}`, story);
  };

  describe(`the contract of the ring, on the ${maker.name} host`, () => {
    members(maker, sentence);
    messages(maker, sentence);
    order(maker, sentence);
    test("every sentence has its test", () => {
      ok(upTo(RING_OBLIGATIONS).every((number) => told.has(number)) && told.size === RING_OBLIGATIONS);
    });
  });
}

function members(maker: HostMaker, sentence: Sentence): void {
  sentence(1, "a life begins alone", async () => {
    await using scene = await RingScene.open(maker, 1, 2);
    await scene.host.start(p1);
    await scene.host.pass(milliseconds(50));
    equal(scene.inputs(p1)[0]?.kind, "start");
    deepEqual(scene.members(p1), [p1]);
    deepEqual([scene.neighbour(p1, "successor"), scene.neighbour(p1, "predecessor")], [null, null]);
  });

  sentence(2, "joined and left alternate, and name the members in the order of the ring", async () => {
    await using scene = await RingScene.whole(maker, 3, 1, 4, 2);
    deepEqual(scene.members(p4), [p4, p2, p3, p1]);
    await scene.host.crashProcess(p3);
    for (const server of [p1, p2, p4]) await scene.untilMembers(server, 3);
    deepEqual(scene.members(p4), [p4, p2, p1]);
    await scene.host.start(p3);
    for (const server of scene.servers) await scene.untilMembers(server, 4);
    deepEqual(scene.members(p4), [p4, p2, p3, p1]);
    scene.checkLives();
  });

  sentence(3, "a change of a neighbour follows what changed it, and only then", async () => {
    await using scene = await RingScene.open(maker, 1, 2, 3);
    await scene.host.start(p1);
    await scene.host.start(p3);
    await scene.untilMembers(p1, 2);
    deepEqual([scene.neighbour(p1, "successor"), scene.neighbour(p1, "predecessor")], [p3, p3]);
    await scene.host.start(p2);
    await scene.untilMembers(p1, 3);
    const changes = scene.inputs(p1).filter(({ kind }) => kind !== "start" && kind !== "turn");
    deepEqual(changes, [
      { kind: "joined", server: p3, members: [p1, p3] },
      { kind: "successor changed", server: p3 },
      { kind: "predecessor changed", server: p3 },
      { kind: "joined", server: p2, members: [p1, p2, p3] },
      { kind: "successor changed", server: p2 },
    ]);
  });
}

function messages(maker: HostMaker, sentence: Sentence): void {
  sentence(4, "on to the successor, back to the predecessor, aside to whom it is told", async () => {
    await using scene = await RingScene.whole(maker, 1, 2, 3, 4);
    scene.ask(p2, { kind: "pass on", message: 7 }, { kind: "pass back", message: 8 });
    scene.ask(p2, { kind: "tell", to: p4, message: 9 });
    for (const server of [p1, p3, p4]) await scene.untilHeard(server, 1);
    deepEqual(scene.heard(p3), [[p2, "on", 7]]);
    deepEqual(scene.heard(p1), [[p2, "back", 8]]);
    deepEqual(scene.heard(p4), [[p2, "aside", 9]]);
    deepEqual(scene.heard(p2), []);
  });

  sentence(4, "of two, each is the other's neighbour on both sides", async () => {
    await using scene = await RingScene.whole(maker, 1, 2);
    scene.ask(p1, { kind: "pass on", message: 7 }, { kind: "pass back", message: 8 });
    await scene.untilHeard(p2, 2);
    deepEqual(scene.heard(p2), [
      [p1, "on", 7],
      [p1, "back", 8],
    ]);
  });

  sentence(5, "what one says to another arrives in order, whichever way it goes", async () => {
    await using scene = await RingScene.whole(maker, 1, 2, 3);
    const ways = [
      (message: number) => ({ kind: "pass on", message }) as const,
      (message: number) => ({ kind: "tell", to: p2, message }) as const,
    ];
    for (const number of upTo(100)) scene.ask(p1, ...ways.map((say, at) => say(2 * number + at)));
    await scene.untilHeard(p2, 100);
    // Whatever had not left yet is lost with its sender, from some message on.
    await scene.host.crashProcess(p1);
    await scene.untilMembers(p2, 2);
    const heard = scene.heard(p2).map(([, , message]) => message);
    deepEqual(
      heard,
      heard.map((_, index) => index + 2),
    );
  });

  sentence(8, "who is alone says nothing to anybody, and hears nothing of it", async () => {
    await using scene = await RingScene.open(maker, 1, 2);
    await scene.host.start(p1);
    scene.ask(p1, { kind: "pass on", message: 1 }, { kind: "pass back", message: 2 });
    await scene.host.start(p2);
    for (const server of scene.servers) await scene.untilMembers(server, 2);
    scene.ask(p1, { kind: "pass on", message: 3 });
    await scene.untilHeard(p2, 1);
    deepEqual(scene.heard(p2), [[p1, "on", 3]]);
    deepEqual(scene.heard(p1), []);
  });
}

function order(maker: HostMaker, sentence: Sentence): void {
  sentence(6, "the ring closes around who dies, and opens for who is back", async () => {
    await using scene = await RingScene.whole(maker, 1, 2, 3, 4);
    await scene.host.crashProcess(p3);
    for (const server of [p1, p2, p4]) await scene.untilMembers(server, 3);
    deepEqual(scene.tour(p1), [p1, p2, p4]);
    scene.ask(p2, { kind: "pass on", message: 5 });
    await scene.untilHeard(p4, 1);
    deepEqual(scene.heard(p4), [[p2, "on", 5]]);
    await scene.host.start(p3);
    for (const server of scene.servers) await scene.untilMembers(server, 4);
    deepEqual(scene.tour(p1), [p1, p2, p3, p4]);
  });

  for (const ring of [
    [1, 2, 3, 4],
    [4, 3, 2, 1],
    [2, 4, 1, 3],
  ]) {
    sentence(7, `all agree that the ring is ${ring.join(" ")}`, async () => {
      await using scene = await RingScene.whole(maker, ...ring);
      deepEqual(scene.tour(serverId(ring[0] ?? 0)), ring);
      // A message that all pass on comes home.
      for (const server of ring.map(serverId)) {
        scene.ask(server, { kind: "pass on", message: server });
        const next = serverId(ring[(ring.indexOf(server) + 1) % ring.length] ?? 0);
        await scene.untilHeard(next, 1);
        deepEqual(scene.heard(next), [[server, "on", server]]);
      }
    });
  }
}
