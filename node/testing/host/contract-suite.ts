/**
 * The contract as tests: each sentence of `contract.ts`, numbered as there, shown on a host.
 *
 * The simulator may be believed about the real host only as far as both do what these sentences say. A
 * sentence that a host has not the means to show is reported as skipped, with the reason.
 */

import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { describe, test } from "node:test";
import { between, milliseconds } from "../../core/time.ts";
import { epoch } from "../../core/zxid.ts";
import { OBLIGATIONS } from "../../host/contract.ts";
import { checkLife } from "./contract-check.ts";
import { channels, connections, crashes, forgotten, turnsAndNonsense } from "./contract-connections.ts";
import type { Ability, HostMaker } from "./contract-probe.ts";
import { counters, Scene, transactions } from "./contract-scene.ts";
import { arm, disarm, one, output, say, sentence, told, two, upTo } from "./contract-story.ts";

export function describeContract(maker: HostMaker): void {
  describe(`the contract of a host, on the ${maker.name} host`, () => {
    livesAndSteps(maker);
    timers(maker);
    disks(maker);
    connections(maker);
    channels(maker);
    crashes(maker);
    forgotten(maker);
    turnsAndNonsense(maker);
    test("every sentence has its test", () => {
      deepEqual(
        [...new Set(told())].sort((a, b) => a - b),
        upTo(OBLIGATIONS),
      );
    });
  });
}

function livesAndSteps(maker: HostMaker): void {
  sentence(maker, 1, "a life begins with start and what earlier lives made durable", async () => {
    await using scene = await Scene.open(maker, 1);
    await scene.host.start(one);
    scene.ask(one, { kind: "append", records: [{ kind: "epoch", epoch: epoch(3) }] });
    await scene.untilDurable(one, 1);
    await scene.host.crashProcess(one);
    await scene.host.start(one);
    const starts = scene.lives(one).map(({ inputs }) => inputs[0]?.input);
    const [first, second] = starts.map((input) => (input?.kind === "start" ? input : null));
    ok(first && second, "the first input of both lives is start");
    equal(first.recovered.epoch, 0);
    equal(second.recovered.epoch, 3);
    notEqual(first.life, second.life);
    for (const { life } of [first, second]) equal(life, life >>> 0, "a life is a 32-bit number");
  });

  sentence(maker, 2, "one input at a time, and now never goes back", async () => {
    await using scene = await Scene.connected(maker, 3);
    const everyone = scene.servers;
    for (const number of upTo(50)) {
      for (const server of everyone) {
        const to = everyone.filter((peer) => peer !== server);
        scene.ask(server, arm("a", number % 3), {
          kind: "send",
          to,
          message: { channel: "bulk", number, padding: 9 },
        });
      }
    }
    for (const server of everyone) {
      await scene.host.until("all is heard", () => scene.heard(server).length === 100);
      checkLife(server, scene.probe(server));
      const { inputs } = scene.probe(server);
      inputs.forEach(({ now }, index) => {
        ok(
          Number.isSafeInteger(now) && now >= (inputs[index - 1]?.now ?? 0),
          `now is ${now} at input ${index}`,
        );
      });
    }
  });

  sentence(maker, 3, "effects are done in the order returned", async () => {
    await using scene = await Scene.connected(maker, 2);
    scene.ask(one, output("first"), say(1), say(2), output("second"), say(3), arm("a", 1), disarm("a"));
    scene.ask(one, disarm("b"), arm("b", 1), output("third"));
    await scene.untilHeard(two, 3);
    await scene.host.until("b fires", () => scene.inputs(one, "timeout").length > 0);
    deepEqual(scene.probe(one).outputs, ["first", "second", "third"]);
    deepEqual(scene.heard(two), [1, 2, 3]);
    deepEqual(
      scene.inputs(one, "timeout").map(({ timer }) => timer),
      ["b"],
    );
  });
}

function timers(maker: HostMaker): void {
  sentence(maker, 4, "arming an armed timer replaces it", async () => {
    await using scene = await Scene.open(maker, 1);
    await scene.host.start(one);
    scene.ask(one, arm("a", 20), arm("a", 60));
    await scene.host.until("a fires", () => scene.inputs(one, "timeout").length > 0);
    await scene.host.pass(milliseconds(60));
    const [armed] = scene.times(one, "request");
    const fired = scene.times(one, "timeout");
    equal(fired.length, 1);
    ok(armed !== undefined && fired[0] !== undefined && between(armed, fired[0]) >= milliseconds(60));
  });

  sentence(maker, 4, "a disarmed timer never fires, even if it was already due", async () => {
    await using scene = await Scene.open(maker, 1);
    await scene.host.start(one);
    scene.probe(one).atTimeout = [disarm("a"), disarm("b")];
    scene.ask(one, arm("a", 10), arm("b", 10));
    await scene.host.until("one of them fires", () => scene.inputs(one, "timeout").length > 0);
    await scene.host.pass(milliseconds(50));
    equal(scene.inputs(one, "timeout").length, 1, "the one that fired first disarmed the other");
  });

  sentence(maker, 4, "a timer never fires early", async () => {
    await using scene = await Scene.open(maker, 1);
    await scene.host.start(one);
    for (const ms of [0, 0.3, 1, 1.7, 10, 33.3]) {
      const fired = scene.inputs(one, "timeout").length;
      scene.ask(one, arm("a", ms));
      await scene.host.until("it fires", () => scene.inputs(one, "timeout").length > fired);
      const wait = (scene.times(one, "timeout").at(-1) ?? 0) - (scene.times(one, "request").at(-1) ?? 0);
      ok(wait >= milliseconds(ms), `a timer of ${ms} ms fired after ${wait} us`);
    }
  });
}

function disks(maker: HostMaker): void {
  sentence(
    maker,
    5,
    "append returns at once; durable counts this life's records and never goes back",
    async () => {
      await using scene = await Scene.open(maker, 1);
      await scene.host.start(one);
      scene.ask(one, { kind: "append", records: transactions(1, 3) }, output("appended"));
      await scene.host.until("the effects are done", () => scene.probe(one).outputs.length === 1);
      for (const number of upTo(20))
        scene.ask(one, { kind: "append", records: transactions(number + 3, number + 3) });
      await scene.untilDurable(one, 23);
      const counts = scene.inputs(one, "durable").map((input) => input.upTo);
      deepEqual(
        counts,
        [...new Set(counts)].sort((a, b) => a - b),
      );
      equal(counts.at(-1), 23);

      await scene.host.crashProcess(one);
      await scene.host.start(one);
      scene.ask(one, { kind: "append", records: transactions(24, 24) });
      await scene.untilDurable(one, 1);
      deepEqual(
        scene.inputs(one, "durable").map((input) => input.upTo),
        [1],
      );
    },
  );

  for (const crash of ["crashProcess", "crashMachine"] as const) {
    const needs: Ability[] = crash === "crashMachine" ? [crash] : [];
    const what = crash === "crashMachine" ? "of the machine" : "of the process";
    const title = `a crash ${what} keeps a prefix, at least as long as the last durable`;
    sentence(
      maker,
      6,
      title,
      async () => {
        await using scene = await Scene.open(maker, 1);
        await scene.host.start(one);
        let kept = 0;
        for (let round = 0; round < 5; round++) {
          scene.ask(one, { kind: "append", records: transactions(kept + 1, kept + 4) });
          await scene.untilDurable(one, 1);
          scene.ask(one, { kind: "append", records: transactions(kept + 5, kept + 40) });
          const promised = kept + scene.durable(one);
          await scene.host[crash]?.(one);
          await scene.host.start(one);
          const found = counters(scene.inputs(one, "start")[0]?.recovered.transactions ?? []);
          ok(found.length >= promised, `${found.length} records of ${promised} durable ones came back`);
          deepEqual(found, upTo(found.length));
          kept = found.length;
        }
      },
      ...needs,
    );
  }
}
