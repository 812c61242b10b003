// lane: works, 12 s
// Every race of priority election as a story in virtual time: members beside whole servers, whose history is
// judged as a whole at the end of each. The mistakes that a story is about are made in it, and are seen;
// testdata/mutants.txt is the table of them all. `make unit FILTER=leadership UPDATE=1` writes it anew.
import assert from "node:assert/strict";
import { join } from "node:path";
import { suite, test } from "node:test";
import { memberId } from "#node/core/identity.ts";
import { type Duration, milliseconds as ms, seconds } from "#node/core/time.ts";
import { NOBODY, printed } from "#node/election/priority/layout.ts";
import { PRIORITY_MUTANTS, type PriorityMutant } from "#node/election/priority/protocol.ts";
import { otherSite, type Strategy } from "#node/election/priority/strategy.ts";
import { PriorityWorld, type WorldShape } from "#node/testing/election/priority/priority-world.ts";
import { judgeLeadership, type LeadershipProperty, readyAfter } from "./leadership.ts";

const [p1, p2, p3, p4, p5] = [1, 2, 3, 4, 5].map(memberId) as [
  ReturnType<typeof memberId>,
  ReturnType<typeof memberId>,
  ReturnType<typeof memberId>,
  ReturnType<typeof memberId>,
  ReturnType<typeof memberId>,
];

/** Who came first elects who came last, so that elector and leader are two. */
const lastId: Strategy = {
  preempts: false,
  choose: ({ candidates }) => candidates.at(-1)?.member ?? "",
};

type Story = (mutant: PriorityMutant | null, step: number) => PriorityWorld;

/** All have come, and the last of them leads. */
function world(mutant: PriorityMutant | null, shape: Partial<WorldShape> = {}): PriorityWorld {
  const options = () => ({ strategy: lastId });
  const play = new PriorityWorld({ members: 3, options, pace: ms(50), mutant, ...shape });
  for (const prefer of [[`p${play.all.length}`], []]) {
    play.wish({ prefer });
    play.pass(seconds(1));
  }
  return play;
}

/** By the property that is broken, or by nobody being ready in time. */
type Harm = LeadershipProperty | "in time";

interface Told {
  readonly story: Story;
  /** As many times as the story has steps, which move an event in time. */
  readonly steps?: number;
  /** Since when, by the history's clock, and within how much somebody is ready at the end. */
  readonly harms: Partial<Record<PriorityMutant, Harm>>;
}

/** When the trouble of a story began, and by when there must be a leader. */
const troubles = new WeakMap<PriorityWorld, { since: number; within: Duration }>();

function trouble(play: PriorityWorld, within: Duration): void {
  troubles.set(play, { since: play.now / 1e3, within });
}

function harmsIn(play: PriorityWorld): Harm[] {
  const harms: Harm[] = judgeLeadership(play.history).map(({ property }) => property);
  const { since, within } = troubles.get(play) ?? {};
  if (since === undefined || within === undefined) return harms;
  const ready = readyAfter(play.history, since);
  return ready !== null && ready.at - since <= within / 1e3 ? harms : [...harms, "in time"];
}

/** A mistake, the story in which it was made, and what that broke. */
const seen: { readonly mutant: PriorityMutant; readonly story: string; readonly harms: readonly Harm[] }[] =
  [];

function tell(name: string, { story, steps = 1, harms }: Told): void {
  suite(name, () => {
    const play = (mutant: PriorityMutant | null): Harm[] =>
      Array.from({ length: steps }, (_, step) => harmsIn(story(mutant, step))).flat();
    test("as it is", () => assert.deepEqual(play(null), []));
    for (const [mutant, harm] of Object.entries(harms) as [PriorityMutant, Harm][]) {
      test(`mistaken: ${mutant} breaks "${harm}"`, () => {
        const found = play(mutant);
        assert.ok(found.includes(harm), `it broke ${found.join(", ") || "nothing"}`);
        seen.push({ mutant, story: name, harms: [harm, ...found.filter((each) => each !== harm)] });
      });
    }
  });
}

tell("the leader dies", {
  story: (mutant) => {
    const play = world(mutant);
    assert.deepEqual(play.acting, ["p3"]);
    play.kill(p3);
    trouble(play, ms(4000 + 1000 + 200));
    play.pass(seconds(7));
    if (mutant === null) assert.deepEqual(play.acting, ["p2"]);
    return play;
  },
  harms: {
    "acts-before-ready": "acts when ready",
    "elected-anew": "terms rise",
  },
});

tell("another is wanted while one takes over: it undoes", {
  story: (mutant) => {
    const play = world(mutant);
    play.works(p2, { takesOver: seconds(2) });
    play.resign(p3);
    play.pass(ms(500));
    play.wish({ exclude: ["p2"] });
    trouble(play, ms(400));
    play.pass(seconds(4));
    if (mutant === null) assert.deepEqual(play.acting, ["p1"]);
    return play;
  },
  harms: { "not-undone": "in time" },
});

tell("another is wanted while READY is under way", {
  steps: 8,
  story: (mutant, step) => {
    const play = world(mutant);
    play.works(p2, { takesOver: ms(200) });
    play.resign(p3);
    play.pass(ms(200 + 10 * step));
    play.wish({ exclude: ["p2"] });
    play.pass(seconds(4));
    return play;
  },
  harms: { "term-unchecked": "ready is elected" },
});

tell("a leader is asked to give up, and its successor waits for its place", {
  story: (mutant) => {
    const play = world(mutant);
    play.works(p3, { stops: ms(300) });
    play.wish({ exclude: ["p3"] });
    trouble(play, ms(600));
    play.pass(seconds(2));
    if (mutant === null) assert.deepEqual(play.acting, ["p2"]);
    return play;
  },
  harms: { spins: "none spins" },
});

tell("a leader is cut off until its session has ended, and comes back", {
  story: (mutant) => {
    const play = world(mutant);
    play.service.cut.add("p3");
    play.pass(seconds(8));
    if (mutant === null) assert.deepEqual(play.acting, ["p2"]);
    play.service.heal("p3");
    play.pass(seconds(3));
    return play;
  },
  harms: { "leads-suspended": "one acts", "deletes-again": "only its owner frees" },
});

tell("a leader loses its server and not its session: it leads again", {
  story: (mutant) => {
    const play = world(mutant);
    const server = play.serverOf(p3);
    assert.ok(server !== null);
    play.service.killProcess(server);
    trouble(play, seconds(6));
    play.pass(seconds(9));
    if (mutant === null) assert.equal(play.acting.length, 1);
    return play;
  },
  harms: {},
});

tell("candidates hang, and the elector dies between them", {
  story: (mutant) => {
    const play = world(mutant, { members: 5 });
    for (const idle of [p4, p3]) play.works(idle, { takesOver: "never" });
    play.resign(p5);
    play.pass(ms(3500));
    play.kill(p1);
    trouble(play, seconds(4 + 1 + 3 + 1));
    play.pass(seconds(12));
    if (mutant === null) assert.deepEqual(play.acting, ["p2"]);
    return play;
  },
  harms: { "exclusions-in-memory": "who failed is passed over" },
});

tell("an old leader hangs: its successor has its time from when the place is free", {
  story: (mutant) => {
    const play = world(mutant);
    play.works(p3, { stops: "never" });
    play.works(p2, { takesOver: ms(1500) });
    play.wish({ exclude: ["p3"] });
    trouble(play, seconds(4));
    play.pass(seconds(8));
    return play;
  },
  harms: { "one-deadline": "none is excluded unheard" },
});

tell("an old leader's server dies while it gives up", {
  steps: 12,
  story: (mutant, step) => {
    const play = world(mutant);
    const server = play.serverOf(p3);
    assert.ok(server !== null);
    play.works(p2, { takesOver: ms(300) });
    play.wish({ exclude: ["p3"] });
    play.pass(ms(30 + 4 * step));
    play.service.killProcess(server);
    trouble(play, seconds(8));
    play.pass(seconds(10));
    if (mutant === null) assert.deepEqual(play.acting, ["p2"]);
    return play;
  },
  harms: {},
});

tell("what an old leader had to say comes when its successor has the place", {
  story: (mutant) => {
    const play = world(mutant);
    play.works(p3, { stops: ms(1000) });
    play.wish({ exclude: ["p3"] });
    play.pass(ms(800));
    play.service.cut.add("p3");
    play.pass(ms(1600));
    play.service.heal("p3");
    play.pass(seconds(4));
    return play;
  },
  harms: { "drops-unchecked": "only its owner frees" },
});

tell("who comes back under its old name does not inherit", {
  story: (mutant) => {
    const play = world(mutant);
    play.works(p2, { takesOver: "never" });
    play.resign(p3);
    play.pass(ms(500));
    // The candidate dies and comes back, and works; the elector is cut off before it is missed.
    play.kill(p2);
    play.works(p2, { takesOver: ms(1) });
    play.start(p2);
    trouble(play, seconds(7));
    play.pass(ms(2200));
    play.service.cut.add("p1");
    play.pass(seconds(10));
    if (mutant === null) assert.deepEqual(play.acting, ["p2"]);
    return play;
  },
  harms: { "member-by-id": "ready is elected" },
});

tell("a leader comes back under its old name before it is missed, and does not lead by that", {
  story: () => {
    const play = world(null);
    play.kill(p3);
    play.start(p3);
    trouble(play, seconds(6));
    play.pass(seconds(2));
    assert.deepEqual(play.acting, []);
    assert.match(play.factsOf(p3).at(-1) ?? "", /waits for its earlier session/);
    play.pass(seconds(6));
    return play;
  },
  harms: {},
});

tell("an elector writes what it has read long ago", {
  story: (mutant) => {
    const play = world(mutant);
    // Of the policy it hears just before it is cut off, and its write waits with it.
    play.wish({ exclude: ["p3"] });
    play.pass(ms(21));
    play.service.cut.add("p1");
    play.pass(ms(100));
    play.operate({
      kind: "setData",
      path: play.layout.elected,
      data: printed({ ...NOBODY, handover: true }),
      version: play.term,
    });
    play.pass(ms(200));
    play.service.heal("p1");
    play.pass(seconds(3));
    return play;
  },
  harms: { "elected-unchecked": "electors have read" },
});

tell("somebody joins while another leads", {
  story: (mutant) => {
    return new PriorityWorld({ members: 4, options: () => ({ strategy: otherSite }), mutant });
  },
  harms: { "never-keeps": "leaders are kept" },
});

tell("all fail at once: they rest between rounds, and begin again", {
  story: (mutant) => {
    const play = world(mutant);
    for (const unable of [p1, p2]) play.works(unable, { takesOver: "fails" });
    play.resign(p3);
    const before = play.term;
    play.pass(seconds(10));
    // After 100, 200, 400, 800, 1600 and then 3000 ms.
    if (mutant === null) assert.ok(play.term - before <= 2 * 8, `${play.term - before} elections`);
    play.works(p1, { takesOver: ms(10) });
    trouble(play, seconds(4));
    play.pass(seconds(5));
    if (mutant === null) assert.deepEqual(play.acting, ["p1"]);
    return play;
  },
  harms: { "never-rests": "who failed rests" },
});

tell("the elector dies at any time of a transition", {
  steps: 6,
  story: (mutant, step) => {
    const play = world(mutant, { members: 4 });
    trouble(play, ms(6200));
    play.resign(p4);
    play.pass(ms(10 + 22 * step));
    play.kill(p1);
    play.pass(seconds(8));
    assert.deepEqual(play.acting, ["p3"]);
    return play;
  },
  harms: {},
});

tell("a candidate's server dies at any time of a transition", {
  steps: 6,
  story: (mutant, step) => {
    const play = world(mutant, { members: 4 });
    const server = play.serverOf(p3);
    assert.ok(server !== null);
    play.resign(p4);
    play.pass(ms(10 + 22 * step));
    play.service.killProcess(server);
    trouble(play, seconds(8));
    play.pass(seconds(10));
    assert.equal(play.acting.length, 1);
    return play;
  },
  harms: {},
});

test("every mistake that is thought of is seen by what it breaks", (t) => {
  const mutants = Object.entries(PRIORITY_MUTANTS) as [PriorityMutant, string][];
  const rows = mutants.map(([mutant, mistake]) => {
    const [first = assert.fail(`no story shows ${mutant}`), ...others] = seen.filter(
      (each) => each.mutant === mutant,
    );
    const [harm = "", ...more] = [...new Set([first, ...others].flatMap(({ harms }) => harms))];
    const broke =
      more.length === 0 ? `"${harm}"` : `"${harm}", and ${more.map((each) => `"${each}"`).join(", ")}`;
    return `${mutant}: ${mistake}\n  where ${first.story}\n  it breaks ${broke}\n`;
  });
  const table = `${mutants.length} mistakes of priority election, each made on purpose in a story
in which nothing is wrong without it, and what the checks of the story's history then found.

${rows.join("\n")}`;
  t.assert.fileSnapshot(table, join(import.meta.dirname, "testdata", "mutants.txt"), {
    serializers: [(text: string) => text],
  });
});
