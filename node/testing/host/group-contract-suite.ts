/** The contract of a group as tests: each sentence of `group-contract.ts`, numbered as there, on a host. */

import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { describe, test } from "node:test";
import { between, milliseconds } from "../../core/time.ts";
import { GROUP_OBLIGATIONS } from "../../host/group-contract.ts";
import type { GroupMaker } from "./group-contract-probe.ts";
import {
  arm,
  disarm,
  GroupScene,
  one,
  output,
  say,
  sealed,
  three,
  two,
  upTo,
} from "./group-contract-scene.ts";
import { LONGEST_DATAGRAM } from "../../host/group-datagram.ts";

type Sentence = (number: number, title: string, story: () => Promise<void>) => void;

export function describeGroupContract(maker: GroupMaker): void {
  describe(`the contract of a group, on the ${maker.name} host`, () => {
    const told = new Set<number>();
    const sentence: Sentence = (number, title, story) => {
      told.add(number);
      test(`${number}. ${title}`, story);
    };
    livesAndSteps(maker, sentence);
    timers(maker, sentence);
    whoHears(maker, sentence);
    whatComes(maker, sentence);
    whatIsRefused(maker, sentence);
    test("every sentence has its test", () => {
      deepEqual(
        [...told].sort((a, b) => a - b),
        upTo(GROUP_OBLIGATIONS),
      );
    });
  });
}

function livesAndSteps(maker: GroupMaker, sentence: Sentence): void {
  sentence(1, "a life begins with start, and knows nothing of earlier ones", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    scene.ask(one, arm("a", 30));
    scene.ask(two, say(1));
    await scene.untilHeard(one, 1);
    await scene.host.stop(one);
    await scene.host.start(one);
    await scene.host.pass(milliseconds(60));
    deepEqual(scene.kinds(one), ["start"], "neither the timer nor the message came again");
    const [first, second] = scene.lives(one).map(({ inputs }) => inputs[0]?.input);
    ok(first?.kind === "start" && second?.kind === "start");
    notEqual(first.life, second.life);
    for (const { life } of [first, second]) equal(life, life >>> 0, "a life is a 32-bit number");
  });

  sentence(2, "one input at a time, and now never goes back", async () => {
    await using scene = await GroupScene.open(maker, one, two, three);
    for (const member of [one, two, three]) {
      scene.probe(member).inBetween = () => scene.ask(member, output("asked in between"));
      for (const number of upTo(15)) scene.ask(member, arm("a", number % 3), output("in"), say(number));
    }
    for (const member of [one, two, three]) {
      await scene.untilHeard(member, ...upTo(15));
      await scene.untilFired(member);
      const { inputs, outputs, overlaps } = scene.probe(member);
      equal(overlaps, 0, `member ${member} was given an input before the effects of the last were done`);
      ok(outputs.includes("asked in between"));
      inputs.forEach(({ now }, index) => {
        const before = inputs[index - 1]?.now ?? 0;
        ok(Number.isSafeInteger(now) && now >= before, `now is ${now} at input ${index}`);
      });
    }
  });

  sentence(3, "effects are done in the order returned", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    scene.ask(one, output("first"), say(1), arm("a", 1), output("second"), disarm("a"));
    scene.ask(one, disarm("b"), arm("b", 1), output("third"));
    await scene.untilFired(one);
    await scene.host.pass(milliseconds(20));
    deepEqual(scene.probe(one).outputs, ["first", "second", "third"]);
    deepEqual(
      scene.inputs(one, "timeout").map(({ timer }) => timer),
      ["b"],
    );
  });
}

function timers(maker: GroupMaker, sentence: Sentence): void {
  sentence(4, "arming an armed timer replaces it", async () => {
    await using scene = await GroupScene.open(maker, one);
    scene.ask(one, arm("a", 20), arm("a", 60), arm("b", 5000), arm("b", 20));
    await scene.untilFired(one, 2);
    await scene.host.pass(milliseconds(60));
    const [armed] = scene.times(one, "request");
    const fired = scene.times(one, "timeout");
    deepEqual(
      scene.inputs(one, "timeout").map(({ timer }) => timer),
      ["b", "a"],
    );
    ok(armed !== undefined && fired[1] !== undefined && between(armed, fired[1]) >= milliseconds(60));
  });

  sentence(4, "a disarmed timer never fires, even if it was already due", async () => {
    await using scene = await GroupScene.open(maker, one);
    scene.probe(one).atTimeout = [disarm("a"), disarm("b")];
    scene.ask(one, arm("a", 10), arm("b", 10));
    await scene.untilFired(one);
    await scene.host.pass(milliseconds(50));
    equal(scene.inputs(one, "timeout").length, 1, "the one that fired first disarmed the other");
  });

  sentence(4, "a timer never fires early", async () => {
    await using scene = await GroupScene.open(maker, one);
    for (const ms of [0, 0.3, 1, 1.7, 10, 33.3]) {
      const fired = scene.inputs(one, "timeout").length;
      scene.ask(one, arm("a", ms), arm("b", ms + 1));
      await scene.untilFired(one, fired + 2);
      const armed = scene.times(one, "request").at(-1) ?? 0;
      const waits = scene.times(one, "timeout").map((time) => time - armed);
      const [first = 0, second = 0] = waits.slice(-2);
      ok(first >= milliseconds(ms), `a timer of ${ms} ms fired after ${first} us`);
      ok(second >= milliseconds(ms + 1), `a timer of ${ms + 1} ms fired after ${second} us`);
    }
  });

  sentence(4, "what a late timer arms counts from when that was due", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    let least = Infinity;
    for (let tries = 0; tries < 20 && least > milliseconds(20); tries++) {
      const fired = scene.inputs(one, "timeout").length;
      scene.probe(one).atTimeout = [arm("b", 20)];
      await scene.host.atHandWhenDue(one, two, [say(1)]);
      await scene.untilFired(one, fired + 2);
      const [first = 0, second = 0] = scene.times(one, "timeout").slice(-2);
      least = Math.min(least, second - first);
      const armed = scene.times(one, "request").at(-1) ?? 0;
      ok(second - armed >= milliseconds(25), `5 ms and 20 ms took ${second - armed} us`);
    }
    ok(least <= milliseconds(20), `the second came ${least} us after the first, which was late`);
  });

  sentence(5, "a message at hand goes before a timer that is due", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    await scene.host.atHandWhenDue(one, two, [say(1)]);
    await scene.untilFired(one);
    deepEqual(scene.kinds(one), ["start", "request", "message", "timeout"]);
  });
}

function whoHears(maker: GroupMaker, sentence: Sentence): void {
  sentence(6, "an announcement reaches whoever listens, and who listens is not said", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    scene.ask(one, say(1));
    await scene.untilHeard(two, 1);
    await scene.host.start(three);
    scene.ask(one, say(2));
    await scene.untilHeard(two, 2);
    await scene.untilHeard(three, 2);
    await scene.host.stop(two);
    scene.ask(one, say(3));
    await scene.untilHeard(three, 3);
    await scene.host.start(two);
    scene.ask(one, say(4));
    await scene.untilHeard(two, 4);
    await scene.untilHeard(three, 4);
    deepEqual(scene.heard(two), [4], "what was announced meanwhile is lost");
    deepEqual(scene.heard(three), [2, 3, 4]);
    deepEqual(
      scene.kinds(one),
      ["start", "request", "request", "request", "request"],
      "one is told of nobody",
    );
  });

  sentence(7, "a message carries the number of whoever announced it, known or not", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    const stranger = 40_000 as typeof one;
    scene.ask(two, say(1));
    await scene.untilHeard(one, 1);
    scene.host.inject(sealed(stranger, 2));
    await scene.untilHeard(one, 2);
    deepEqual(
      scene.inputs(one, "message").map(({ from }) => from),
      [two, stranger],
    );
  });

  sentence(10, "a member never hears itself, nor anybody under its own number", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    scene.ask(one, say(1));
    scene.host.inject(sealed(one, 2));
    await scene.untilHeard(two, 1, 2);
    scene.ask(two, say(3));
    await scene.untilHeard(one, 3);
    deepEqual(scene.heard(one), [3]);
    ok(scene.host.counts(one).not.own >= 1, "it is counted");
  });

  sentence(12, "who ends says nothing, and what it had announced may still arrive", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    scene.ask(one, arm("a", 10), say(1));
    scene.probe(one).atTimeout = [say(2)];
    await scene.host.stop(one);
    await scene.untilHeard(two, 1);
    await scene.host.pass(milliseconds(50));
    deepEqual(scene.kinds(two), ["start", "message"]);
    deepEqual(scene.heard(two), [1]);
  });
}

function whatComes(maker: GroupMaker, sentence: Sentence): void {
  sentence(8, "each listener gets it never, once or several times, in any order", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    const early = sealed(three, 1);
    scene.host.inject(sealed(three, 2));
    await scene.untilHeard(one, 2);
    scene.host.inject(early);
    scene.host.inject(early);
    await scene.host.until("it came twice", () => scene.heard(two).length === 3);
    await scene.host.until("it came twice", () => scene.heard(one).length === 3);
    deepEqual(scene.heard(one), [2, 1, 1]);
    deepEqual(scene.heard(two), [2, 1, 1]);
  });

  sentence(9, "damaged, foreign and unreadable datagrams are counted and not given", async () => {
    await using scene = await GroupScene.open(maker, one);
    const whole = sealed(two, 1);
    for (let at = 0; at < whole.length; at++) {
      const damaged = whole.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      scene.host.inject(damaged);
    }
    for (const length of upTo(whole.length - 1)) scene.host.inject(whole.subarray(0, length));
    scene.host.inject(sealed(two, 2, "another"));
    scene.host.inject(sealed(two, 0));
    scene.host.inject(sealed(two, 3));
    await scene.untilHeard(one, 3);
    deepEqual(scene.heard(one), [3]);
    const { not } = scene.host.counts(one);
    // Whose magic number or version is not whole, and who is of another cluster.
    equal(not.stranger, 5 + 3 + 1);
    equal(not.stranger + not.damaged, 2 * whole.length + 1);
  });
}

function whatIsRefused(maker: GroupMaker, sentence: Sentence): void {
  sentence(11, "what is longer than a datagram is not sent, counted, and told in a sentence", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    const room = LONGEST_DATAGRAM - sealed(one, 1).length;
    scene.ask(one, say(1, room), say(2, room + 1), say(3));
    await scene.untilHeard(two, 1, 3);
    deepEqual(scene.heard(two), [1, 3]);
    equal(scene.host.counts(one).not.tooLong, 1);
    match(scene.host.told(one).join("\n"), /^an announcement of 1401 bytes is not sent: .* at most 1400$/);
  });

  sentence(13, "what is sent and given is counted by kind, what is not by reason", async () => {
    await using scene = await GroupScene.open(maker, one, two);
    scene.ask(one, say(1), say(2), say(3));
    scene.ask(two, say(4));
    await scene.untilHeard(two, 1, 2, 3);
    await scene.untilHeard(one, 4);
    const [mine, its] = [scene.host.counts(one), scene.host.counts(two)];
    const all = mine === its ? [mine] : [mine, its];
    const sum = (of: "sent" | "given", kind?: string): number =>
      all.reduce((total, counts) => total + counts.total(of, kind), 0);
    deepEqual([sum("sent", "odd"), sum("sent", "even"), sum("sent")], [2, 2, 4]);
    deepEqual([sum("given", "odd"), sum("given", "even"), sum("given")], [2, 2, 4]);
  });
}
