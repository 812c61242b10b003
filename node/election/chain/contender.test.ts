import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { seconds } from "../../core/time.ts";
import { ERRORS } from "../../wire/client/error.ts";
import { EVENT_TYPES } from "../../wire/client/watch.ts";
import { Contender, type ContenderProtocol, type Watched } from "./contender.ts";
import type { ServiceEffect, ServiceInput } from "../../core/service.ts";

type Input = ServiceInput<ContenderProtocol>;
type Effect = ServiceEffect<ContenderProtocol>;

const [STAND, LIST, WATCH, WAY, OWN] = [1, 2, 3, 4, 5];
const NO_STAT = {
  czxid: 0,
  mzxid: 0,
  ctime: 0,
  mtime: 0,
  version: 0,
  cversion: 0,
  aversion: 0,
  ephemeralOwner: 0,
  dataLength: 0,
  numChildren: 0,
  pzxid: 0,
};

const start: Input = { kind: "start", life: 0xabc };
const connected: Input = { kind: "connected", isNew: true };
const again: Input = { kind: "connected", isNew: false };
const [suspended, expired] = [{ kind: "suspended" }, { kind: "expired" }] as const;
const name = (member: number, number: number, session = 1): string =>
  `p${member}-00000abc-${session}-${String(number).padStart(10, "0")}`;
const stood = (number: number, session = 1): Input => ({
  kind: "answered",
  id: STAND,
  answer: { kind: "done", reply: { kind: "create", path: `/e/${name(5, number, session)}` } },
});
const listed = (...names: string[]): Input => ({
  kind: "answered",
  id: LIST,
  answer: { kind: "done", reply: { kind: "getChildren", names } },
});
const refused = (id: number, error: number): Input => ({
  kind: "answered",
  id,
  answer: { kind: "refused", error },
});
const unknown = (id: number): Input => ({ kind: "answered", id, answer: { kind: "unknown" } });
const told = (path: string, type: keyof typeof EVENT_TYPES = "deleted"): Input => ({
  kind: "watched",
  event: { type: EVENT_TYPES[type], state: 3, path: `/e/${path}` },
});

/** Member 5 was given these; what it did at the last of them, in a word or two each. */
function after(...inputs: Input[]): string[] {
  return run("next lower", inputs);
}

function run(watched: Watched, inputs: readonly Input[], root = "/e"): string[] {
  const contender = new Contender({ self: "p5", root }, { pause: seconds(1) }, watched);
  return (inputs.map((input) => contender.step(input)).at(-1) ?? []).map(word);
}

function word(effect: Effect): string {
  switch (effect.kind) {
    case "ask": {
      const { question } = effect;
      const path = "path" in question ? question.path : "";
      return `${question.kind} ${path}${"watch" in question && question.watch ? ", watching" : ""}`;
    }
    case "arm":
      return `arm ${effect.timer} ${effect.after / 1e6}`;
    case "disarm":
      return `disarm ${effect.timer}`;
    case "leave":
      return "leave";
    default: {
      const { output } = effect;
      if (output.kind === "observed") return output.facts.name;
      if (output.kind === "deposed") return `deposed: ${output.reason}`;
      return `elected ${output.leader} in round ${output.round}, claim ${output.claim}`;
    }
  }
}

suite("the recipe", () => {
  test("nothing is asked before there is a session; then it makes its znode, and lists", () => {
    assert.deepEqual(after(start), []);
    assert.deepEqual(after(start, connected), ["create /e/p5-00000abc-1-"]);
    assert.deepEqual(after(start, connected, stood(3)), ["getChildren /e"]);
  });

  test("beside programs that look for a word in front of the number, its znode has that word", () => {
    const contender = new Contender(
      { self: "p5", root: "/e", word: "latch-" },
      { pause: seconds(1) },
      "next lower",
    );
    const own = "p5-00000abc-1-latch-0000000003";
    const step = (input: Input): string[] => contender.step(input).map(word);
    step(start);
    assert.deepEqual(step(connected), ["create /e/p5-00000abc-1-latch-"]);
    assert.deepEqual(step(stood(3)), ["getChildren /e"]);
    assert.deepEqual(step(listed("_c_7f9c-latch-0000000002", own)), [
      "is led by another program",
      "exists /e/_c_7f9c-latch-0000000002, watching",
    ]);
    assert.deepEqual(step(told("_c_7f9c-latch-0000000002")), ["getChildren /e"]);
    assert.deepEqual(step(listed(own, "p8-00000def-1-latch-0000000004")), [
      "elected p5 in round 1, claim 3",
      "arm again 1",
    ]);
  });

  test("who leads is known by its id, whatever word stands in front of the number", () => {
    for (const beside of ["", "latch-", "lock-", "__lock__"])
      assert.deepEqual(
        after(start, connected, stood(7), listed(name(5, 7), `p4-00000abc-1-${beside}0000000001`)),
        ["elected p4 in round 1, claim 1", `exists /e/p4-00000abc-1-${beside}0000000001, watching`],
      );
  });

  test("who has the least number leads, whatever stands in front of it", () => {
    const foreign = "a-lock-0000000009";
    assert.deepEqual(after(start, connected, stood(3), listed(foreign, name(5, 3), "odd")), [
      "elected p5 in round 1, claim 3",
      "arm again 1",
    ]);
  });

  test("everybody else watches the next lower, and tells who leads", () => {
    const all = [name(5, 7), name(8, 9), name(2, 6), name(4, 1)];
    assert.deepEqual(after(start, connected, stood(7), listed(...all)), [
      "elected p4 in round 1, claim 1",
      `exists /e/${name(2, 6)}, watching`,
    ]);
    assert.deepEqual(run("leader", [start, connected, stood(7), listed(...all)]), [
      "elected p4 in round 1, claim 1",
      `exists /e/${name(4, 1)}, watching`,
    ]);
    assert.deepEqual(after(start, connected, stood(7), listed("kazoo__lock__0000000002", name(5, 7))), [
      "is led by another program",
      "exists /e/kazoo__lock__0000000002, watching",
    ]);
  });

  const watching = [start, connected, stood(7), listed(name(5, 7), name(2, 6))];

  test("it lists again when that is gone, also when it went before it could be watched", () => {
    assert.deepEqual(after(...watching, told(name(2, 6))), ["getChildren /e"]);
    assert.deepEqual(after(...watching, refused(WATCH, ERRORS.noNode)), ["getChildren /e"]);
    assert.deepEqual(after(...watching, told(name(2, 6), "dataChanged")), ["getChildren /e"]);
    assert.deepEqual(after(...watching, told(name(1, 1))), [], "what it does not watch");
    assert.deepEqual(after(...watching, told(name(2, 6)), refused(WATCH, ERRORS.noNode)), [], "one list");
    assert.deepEqual(after(...watching, told(name(2, 6)), listed(name(5, 7))), [
      "elected p5 in round 1, claim 7",
      "arm again 1",
    ]);
  });

  const leading = [start, connected, stood(3), listed(name(5, 3))];

  test("a leader without connection leads no more; with it, it lists, and leads again", () => {
    const lost = "its connection to the service is lost";
    assert.deepEqual(after(...leading, suspended), [`deposed: ${lost}`, "disarm again"]);
    assert.deepEqual(after(...leading, suspended, again), ["getChildren /e"]);
    assert.deepEqual(after(...leading, suspended, again, listed(name(5, 3))), [
      "elected p5 in round 1, claim 3",
      "arm again 1",
    ]);
    assert.deepEqual(after(...watching, suspended), ["disarm again"]);
  });

  test("who was not told whether its znode was made finds it, or makes another", () => {
    const story = [start, connected, unknown(STAND), suspended, again];
    assert.deepEqual(after(...story), ["getChildren /e"]);
    assert.deepEqual(after(...story, listed(name(5, 3), name(2, 4))), [
      "elected p5 in round 1, claim 3",
      "arm again 1",
    ]);
    assert.deepEqual(after(...story, listed(name(2, 4))), ["create /e/p5-00000abc-1-"]);
  });

  test("a new session stands anew, and what is left of the old is not its own", () => {
    const story = [...leading, suspended, expired, connected];
    assert.deepEqual(after(...story), ["create /e/p5-00000abc-2-"]);
    assert.deepEqual(after(...story, stood(8, 2), listed(name(5, 3), name(5, 8, 2))), [
      "waits for its earlier session",
      `exists /e/${name(5, 3)}, watching`,
    ]);
  });

  test("who resigns says so, and its session ends", () => {
    const resign: Input = { kind: "request", request: { kind: "resign" } };
    assert.deepEqual(after(...leading, resign), ["deposed: it resigns", "disarm again", "leave"]);
    assert.deepEqual(after(...watching, resign), ["leave"]);
  });

  test("somebody removed its znode: it leads no more when it learns of it, and stands again", () => {
    assert.deepEqual(after(...watching, told(name(2, 6)), listed(name(8, 9))), [
      "its znode is gone",
      "create /e/p5-00000abc-1-",
    ]);
    assert.deepEqual(after(...leading, suspended, again, refused(LIST, ERRORS.noNode)), [
      "its znode is gone",
      "create /e/p5-00000abc-1-",
    ]);
  });

  test("a leader looks from time to time whether its znode is there, and stands again when it is not", () => {
    const later: Input = { kind: "timeout", timer: "again" };
    const own = `exists /e/${name(5, 3)}`;
    const exists = { kind: "exists", stat: NO_STAT } as const;
    const there: Input = { kind: "answered", id: OWN, answer: { kind: "done", reply: exists } };
    const gone = refused(OWN, ERRORS.noNode);
    assert.deepEqual(after(...leading, later), [own]);
    assert.deepEqual(after(...leading, later, there), ["arm again 1"]);
    assert.deepEqual(after(...leading, later, there, later), [own]);
    assert.deepEqual(after(...leading, later, gone), ["getChildren /e"]);
    assert.deepEqual(after(...leading, later, gone, listed(name(8, 9))), [
      "deposed: its znode is gone",
      "disarm again",
      "its znode is gone",
      "create /e/p5-00000abc-1-",
    ]);
    assert.deepEqual(after(...leading, later, suspended, again, gone), [], "of before it was away");
  });

  test("the znode of the election is made, with those above it", () => {
    const inputs = [start, connected, refused(STAND, ERRORS.noNode)];
    assert.deepEqual(run("next lower", inputs, "/a/b"), [
      "create /a",
      "create /a/b",
      "create /a/b/p5-00000abc-1-",
    ]);
    assert.deepEqual(after(...inputs, refused(WAY, ERRORS.nodeExists)), []);
    assert.deepEqual(
      after(...inputs, refused(WAY, ERRORS.noAuth), refused(STAND, ERRORS.noNode)),
      ["is refused", "arm again 1"],
      "where it cannot be made, it waits",
    );
  });

  test("whom the service refuses waits, tries again, and does not lead meanwhile", () => {
    const refusal = refused(LIST, ERRORS.noAuth);
    assert.deepEqual(after(start, connected, refused(STAND, ERRORS.noAuth)), ["is refused", "arm again 1"]);
    assert.deepEqual(after(...leading, suspended, again, refusal), ["is refused", "arm again 1"]);
    assert.deepEqual(after(...leading, suspended, again, refusal, { kind: "timeout", timer: "again" }), [
      "getChildren /e",
    ]);
  });
});
