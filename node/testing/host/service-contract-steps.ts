/** The sentences of `service-contract.ts` about lives, steps and timers. */

import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { between, milliseconds } from "../../core/time.ts";
import type { ServiceMaker } from "./service-contract-probe.ts";
import { arm, disarm, one, output, ServiceScene, two, upTo } from "./service-contract-scene.ts";

export type Sentence = (number: number, title: string, story: () => Promise<void>) => void;

export function livesAndSteps(maker: ServiceMaker, sentence: Sentence): void {
  sentence(1, "a life begins with start, and knows nothing of earlier ones", async () => {
    await using scene = await ServiceScene.open(maker);
    scene.ask(one, scene.exists(1, "w", true), arm("a", 30));
    await scene.until(one, "1 noNode");
    await scene.host.kill(one);
    await scene.host.start(one);
    await scene.untilKind(one, "connected");
    scene.ask(two, scene.create(1, "w"));
    await scene.until(two, "1 done");
    scene.ask(one, scene.sync(2));
    await scene.until(one, "2 done");
    await scene.host.pass(milliseconds(50));
    deepEqual(scene.story(one), ["start", "connected anew", "2 done"]);
    const [first, second] = scene.lives(one).map(({ inputs }) => inputs[0]?.input);
    ok(first?.kind === "start" && second?.kind === "start");
    notEqual(first.life, second.life);
    for (const { life } of [first, second]) equal(life, life >>> 0, "a life is a 32-bit number");
  });

  sentence(2, "one input at a time, and now never goes back", async () => {
    await using scene = await ServiceScene.open(maker);
    scene.probe(one).inBetween = () => scene.ask(one, output("asked in between"));
    for (const id of upTo(15)) scene.ask(one, arm("a", id % 3), output("in"), scene.exists(id, "x", true));
    scene.ask(two, scene.create(1, "x"));
    await scene.until(one, "15 noNode");
    await scene.until(one, "created x");
    await scene.untilKind(one, "timeout");
    const { inputs, outputs, overlaps } = scene.probe(one);
    equal(overlaps, 0, "an input came before the effects of the last were done");
    ok(outputs.includes("asked in between"));
    inputs.forEach(({ now }, index) => {
      const before = inputs[index - 1]?.now ?? 0;
      ok(Number.isSafeInteger(now) && now >= before, `now is ${now} at input ${index}`);
    });
  });

  sentence(3, "effects are done in the order returned, and questions asked in that order", async () => {
    await using scene = await ServiceScene.open(maker);
    scene.ask(
      one,
      output("first"),
      scene.create(1, "x"),
      arm("a", 1),
      scene.delete(2, "x"),
      output("second"),
      scene.create(3, "x"),
      disarm("a"),
      scene.create(4, "x"),
    );
    await scene.until(one, "4 nodeExists");
    await scene.host.pass(milliseconds(20));
    deepEqual(scene.story(one).slice(-4), ["1 done", "2 done", "3 done", "4 nodeExists"]);
    deepEqual(scene.probe(one).outputs, ["first", "second"]);
    equal(scene.inputs(one, "timeout").length, 0);
  });
}

export function timers(maker: ServiceMaker, sentence: Sentence): void {
  sentence(4, "arming replaces, a disarmed timer never fires, and none fires early", async () => {
    await using scene = await ServiceScene.open(maker);
    scene.ask(one, arm("a", 20), arm("a", 60), arm("b", 5000), arm("b", 20));
    await scene.untilKind(one, "timeout", 2);
    await scene.host.pass(milliseconds(60));
    deepEqual(scene.story(one).slice(-2), ["timeout b", "timeout a"]);
    const armed = scene.times(one, "request").at(-1) ?? 0;
    const waits = scene.times(one, "timeout").map((time) => time - armed);
    ok(
      (waits[0] ?? 0) >= milliseconds(20) && (waits[1] ?? 0) >= milliseconds(60),
      `they took ${waits.join(" and ")} us`,
    );

    const heard = scene.storyFrom(one);
    const effects = [disarm("a"), disarm("b")];
    scene.probe(one).reaction = { to: ({ kind }) => kind === "timeout", effects };
    scene.ask(one, arm("a", 10), arm("b", 10));
    await scene.untilKind(one, "timeout", 3);
    await scene.host.pass(milliseconds(50));
    equal(heard().length, 1, "the one that fired first disarmed the other");

    for (const ms of [0, 0.3, 1, 1.7, 33.3]) {
      const before = scene.inputs(one, "timeout").length;
      scene.ask(one, arm("a", ms));
      await scene.untilKind(one, "timeout", before + 1);
      const [from, to] = [scene.times(one, "request").at(-1), scene.times(one, "timeout").at(-1)];
      ok(from !== undefined && to !== undefined && between(from, to) >= milliseconds(ms), `${ms} ms`);
    }
  });

  sentence(5, "an answer at hand goes before a timer that is due", async () => {
    await using scene = await ServiceScene.open(maker);
    const heard = scene.storyFrom(one);
    await scene.host.atHandWhenDue(one, [scene.exists(1, "x")]);
    await scene.untilKind(one, "timeout");
    deepEqual(heard(), ["1 noNode", "timeout a"]);
  });
}
