/**
 * The contract of the medium `service` as tests: each sentence of `service-contract.ts`, numbered as there,
 * on a host.
 */

import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "node:test";
import { milliseconds } from "../../core/time.ts";
import { SERVICE_OBLIGATIONS } from "../../host/service-contract.ts";
import type { ServiceMaker } from "./service-contract-probe.ts";
import { arm, leave, one, output, ServiceScene, SHORT, two, upTo } from "./service-contract-scene.ts";
import { livesAndSteps, type Sentence, timers } from "./service-contract-steps.ts";

export function describeServiceContract(maker: ServiceMaker): void {
  describe(`the contract of a service, on the ${maker.name} host`, () => {
    const told = new Set<number>();
    const sentence: Sentence = (number, title, story) => {
      told.add(number);
      test(`${number}. ${title}`, story);
    };
    livesAndSteps(maker, sentence);
    timers(maker, sentence);
    answers(maker, sentence);
    lostConnections(maker, sentence);
    watches(maker, sentence);
    sessions(maker, sentence);
    endings(maker, sentence);
    identities(maker, sentence);
    test("every sentence has its test", () => {
      deepEqual(
        [...told].sort((a, b) => a - b),
        upTo(SERVICE_OBLIGATIONS),
      );
    });
  });
}

function answers(maker: ServiceMaker, sentence: Sentence): void {
  sentence(6, "connected tells of a session, and what was asked before waits for it", async () => {
    await using scene = await ServiceScene.open(maker);
    await scene.host.kill(one);
    await scene.host.start(one);
    scene.ask(one, scene.create(1, "early", "ephemeral"));
    await scene.until(one, "1 done");
    await scene.host.disconnect(one);
    await scene.until(one, "connected again");
    scene.ask(one, scene.exists(2, "early"));
    await scene.until(one, "2 done");
    deepEqual(scene.story(one), [
      "start",
      "connected anew",
      "1 done",
      "suspended",
      "connected again",
      "2 done",
    ]);
  });

  sentence(7, "each question has one answer, in the order of the questions", async () => {
    await using scene = await ServiceScene.open(maker);
    const heard = scene.storyFrom(one);
    const count = 60;
    const effects = upTo(count).map((id) =>
      id % 3 === 0 ? scene.create(id, "s-", "sequential") : scene.exists(id, "nobody"),
    );
    scene.ask(one, ...effects.slice(0, count / 2));
    for (const effect of effects.slice(count / 2)) scene.ask(one, effect);
    await scene.untilAnswered(one, count);
    await scene.host.pass(milliseconds(50));
    deepEqual(
      heard(),
      upTo(count).map((id) => (id % 3 === 0 ? `${id} done` : `${id} noNode`)),
    );
    const paths = scene.inputs(one, "answered").flatMap(({ answer }) => {
      return answer.kind === "done" && answer.reply.kind === "create" ? [answer.reply.path] : [];
    });
    const numbers = paths.slice(1).map((path) => Number(path.slice(-10)));
    ok(
      numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)),
      "they were done in this order",
    );
    equal(new Set(paths).size, 1 + count / 3, "each was done once");
  });
}

function lostConnections(maker: ServiceMaker, sentence: Sentence): void {
  sentence(8, "what was sent and lost its connection is answered unknown, then comes suspended", async () => {
    await using scene = await ServiceScene.open(maker);
    const heard = scene.storyFrom(one);
    scene.host.cut(one);
    scene.ask(one, scene.create(1, "x"), scene.exists(2, "x"));
    await scene.host.pass(milliseconds(20));
    deepEqual(heard(), []);
    await scene.host.disconnect(one);
    scene.host.heal(one);
    await scene.until(one, "connected again");
    scene.ask(one, scene.sync(3));
    await scene.until(one, "3 done");
    deepEqual(heard(), ["1 unknown", "2 unknown", "suspended", "connected again", "3 done"]);
  });

  sentence(9, "what is asked while suspended goes out in the same session", async () => {
    await using scene = await ServiceScene.open(maker);
    const effects = [scene.create(2, "x"), scene.exists(3, "x")];
    scene.probe(one).reaction = { to: ({ kind }) => kind === "suspended", effects };
    const heard = scene.storyFrom(one);
    scene.ask(one, scene.create(1, "mine", "ephemeral"));
    await scene.until(one, "1 done");
    await scene.host.disconnect(one);
    await scene.until(one, "3 done");
    deepEqual(heard(), ["1 done", "suspended", "connected again", "2 done", "3 done"]);
  });

  sentence(9, "and in no other: when it has expired, it was answered unknown", async () => {
    await using scene = await ServiceScene.open(maker, SHORT);
    const heard = scene.storyFrom(one);
    const effects = [scene.create(1, "x", "ephemeral")];
    scene.probe(one).reaction = { to: ({ kind }) => kind === "suspended", effects };
    await expire(scene);
    scene.ask(one, scene.sync(2), scene.exists(3, "x"));
    await scene.untilAnswered(one, 3);
    deepEqual(heard(), ["suspended", "1 unknown", "expired", "connected anew", "2 done", "3 noNode"]);
  });
}

/** The session of member one ends, and it has another. */
async function expire(scene: ServiceScene): Promise<void> {
  scene.ask(one, scene.create(-2, "pulse", "ephemeral"));
  await scene.untilAnswered(one, -2);
  scene.ask(two, scene.sync(-2), scene.exists(-3, "pulse", true));
  await scene.untilAnswered(two, -3);
  scene.host.cut(one);
  await scene.until(two, "deleted pulse");
  scene.host.heal(one);
  await scene.host.until("one is told that its session has expired", () => {
    const story = scene.story(one);
    return story.lastIndexOf("connected anew") > story.indexOf("expired") && story.includes("expired");
  });
}

function watches(maker: ServiceMaker, sentence: Sentence): void {
  sentence(10, "a watch tells one change, before any answer that shows it", async () => {
    await using scene = await ServiceScene.open(maker);
    scene.ask(one, scene.exists(1, "x", true));
    await scene.until(one, "1 noNode");
    const heard = scene.storyFrom(one);
    scene.ask(two, scene.create(1, "x"));
    // It looks again and again, so that some look would show the change as early as can be.
    let looks = 1;
    do {
      scene.ask(one, scene.exists(++looks, "x"));
      await scene.untilAnswered(one, looks);
    } while (!heard().some((words) => words.endsWith(" done")));
    scene.ask(one, scene.sync(1000));
    await scene.until(one, "1000 done");
    const event = heard().indexOf("created x");
    const [before, after] = [heard().slice(0, event), heard().slice(event + 1)];
    ok(event !== -1, heard().join(", "));
    ok(
      before.every((words) => words.endsWith(" noNode")),
      `an answer showed it first: ${before.join(", ")}`,
    );
    ok(
      after.every((words) => words.endsWith(" done")),
      `an answer did not show it yet: ${after.join(", ")}`,
    );
    scene.ask(two, scene.delete(2, "x"));
    await scene.until(two, "2 done");
    scene.ask(one, scene.sync(1001), scene.exists(1002, "x"));
    await scene.until(one, "1002 noNode");
    equal(scene.inputs(one, "watched").length, 1, "it tells one change");
  });

  sentence(
    11,
    "a watch outlives the connection: what it missed is told before any other answer",
    async () => {
      await using scene = await ServiceScene.open(maker);
      scene.ask(one, scene.exists(1, "x", true), scene.exists(2, "y", true));
      await scene.until(one, "2 noNode");
      const heard = scene.storyFrom(one);
      const effects = [scene.exists(3, "x")];
      scene.probe(one).reaction = { to: ({ kind }) => kind === "suspended", effects };
      scene.host.cut(one);
      await scene.host.disconnect(one);
      scene.ask(two, scene.create(1, "x"));
      await scene.until(two, "1 done");
      scene.host.heal(one);
      await scene.untilAnswered(one, 3);
      scene.ask(two, scene.create(2, "y"));
      await scene.until(one, "created y");
      deepEqual(heard(), ["suspended", "connected again", "created x", "3 done", "created y"]);
    },
  );

  sentence(11, "a watch whose question was answered unknown is not set", async () => {
    await using scene = await ServiceScene.open(maker);
    const heard = scene.storyFrom(one);
    scene.host.cut(one);
    scene.ask(one, scene.exists(1, "x", true));
    await scene.host.disconnect(one);
    scene.host.heal(one);
    await scene.until(one, "connected again");
    scene.ask(two, scene.create(1, "x"));
    await scene.until(two, "1 done");
    scene.ask(one, scene.sync(2), scene.exists(3, "x"));
    await scene.until(one, "3 done");
    deepEqual(heard(), ["1 unknown", "suspended", "connected again", "2 done", "3 done"]);
  });
}

function sessions(maker: ServiceMaker, sentence: Sentence): void {
  sentence(12, "who is cut off is suspended before others see that its session has ended", async () => {
    await using scene = await ServiceScene.open(maker, SHORT);
    scene.ask(one, scene.create(1, "x", "ephemeral"));
    await scene.until(one, "1 done");
    scene.ask(two, scene.sync(1), scene.exists(2, "x", true));
    await scene.until(two, "2 done");
    let wasSuspended: boolean | null = null;
    scene.probe(two).reaction = {
      to: ({ kind }) => {
        if (kind === "watched") wasSuspended = scene.story(one).at(-1) === "suspended";
        return false;
      },
      effects: [],
    };
    scene.host.cut(one);
    await scene.until(two, "deleted x");
    equal(wasSuspended, true);
    scene.host.heal(one);
  });

  sentence(13, "expired ends all that the session owned and watched; a new one follows", async () => {
    await using scene = await ServiceScene.open(maker, SHORT);
    scene.ask(one, scene.create(1, "mine", "ephemeral"), scene.exists(2, "w", true));
    await scene.until(one, "2 noNode");
    const heard = scene.storyFrom(one);
    await expire(scene);
    scene.ask(two, scene.create(1, "w"), scene.sync(2), scene.exists(3, "mine"));
    await scene.until(two, "3 noNode");
    scene.ask(one, scene.sync(3), scene.exists(4, "w"));
    await scene.until(one, "4 done");
    deepEqual(heard(), ["suspended", "expired", "connected anew", "3 done", "4 done"]);
  });
}

function endings(maker: ServiceMaker, sentence: Sentence): void {
  sentence(
    14,
    "who ends in silence leaves its session to its timeout; its next life has another",
    async () => {
      await using scene = await ServiceScene.open(maker, SHORT);
      scene.ask(one, scene.create(1, "mine", "ephemeral"));
      await scene.until(one, "1 done");
      await scene.host.kill(one);
      await scene.host.start(one);
      await scene.untilKind(one, "connected");
      scene.ask(one, scene.sync(1), scene.exists(2, "mine", true));
      await scene.until(one, "2 done");
      await scene.until(one, "deleted mine");
      deepEqual(scene.story(one), ["start", "connected anew", "1 done", "2 done", "deleted mine"]);
      equal(scene.host.left(one), null);
    },
  );

  sentence(15, "leave ends the session at once, and nothing more comes", async () => {
    await using scene = await ServiceScene.open(maker);
    scene.ask(one, scene.create(1, "mine", "ephemeral"), arm("a", 30), scene.exists(2, "w", true));
    await scene.until(one, "2 noNode");
    scene.ask(two, scene.sync(1), scene.exists(2, "mine", true));
    await scene.until(two, "2 done");
    const heard = scene.storyFrom(one);
    scene.ask(one, leave, output("no more"));
    await scene.until(two, "deleted mine");
    scene.ask(two, scene.create(3, "w"));
    await scene.until(two, "3 done");
    await scene.host.pass(milliseconds(60));
    scene.ask(one, output("nor this"));
    deepEqual(heard(), []);
    deepEqual(scene.probe(one).outputs, []);
    equal(scene.host.left(one), true);
  });

  sentence(16, "questions, answers, watches and events are counted", async () => {
    await using scene = await ServiceScene.open(maker);
    const counts = scene.host.counts(one);
    const asked = (kind: "create" | "exists" | "delete"): number => counts.asked.get(kind) ?? 0;
    const before = { create: asked("create"), refused: counts.refused };
    scene.ask(
      one,
      scene.create(1, "x"),
      scene.create(2, "x"),
      scene.exists(3, "x", true),
      scene.exists(4, "x"),
    );
    scene.ask(one, scene.exists(5, "y", true));
    await scene.until(one, "5 noNode");
    deepEqual([asked("create") - before.create, asked("exists"), asked("delete")], [2, 3, 0]);
    deepEqual([counts.refused - before.refused, counts.unknown, counts.watches], [2, 0, 2]);
    scene.ask(two, scene.sync(1), scene.delete(2, "x"), scene.create(3, "y"));
    await scene.until(one, "created y");
    deepEqual(Object.fromEntries(counts.watched), { created: 1, deleted: 1 });
    equal(counts.notifications, 2);
    scene.host.cut(one);
    scene.ask(one, scene.delete(6, "y"));
    await scene.host.disconnect(one);
    scene.host.heal(one);
    await scene.until(one, "6 unknown");
    deepEqual([asked("delete"), counts.unknown], [1, 1]);
  });
}

function identities(maker: ServiceMaker, sentence: Sentence): void {
  sentence(17, "who is not believed is told so, and nothing more comes", async () => {
    await using scene = await ServiceScene.open(maker);
    await scene.host.kill(one);
    await scene.host.start(one, [{ kind: "auth", scheme: "nonsense", credentials: new Uint8Array(1) }]);
    await scene.untilKind(one, "not believed");
    scene.ask(one, scene.exists(1, "x"), output("nor this"));
    await scene.host.pass(milliseconds(60));
    equal(scene.probe(one).inputs.at(-1)?.input.kind, "not believed");
    deepEqual(scene.probe(one).outputs, []);
    equal(scene.host.left(one), false);
  });
}
