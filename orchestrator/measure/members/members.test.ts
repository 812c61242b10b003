import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { suite } from "node:test";
import { madeElection, type Story } from "../../testing/made-election.ts";
import { conclude } from "../conclude.ts";
import { Beliefs } from "./beliefs.ts";
import { electionSummarySchema, publishedElectionSchema } from "./summary.ts";
import { parseElectionThreshold } from "./threshold.ts";

/** All begin at once, each for itself; 3 is heard by 2 after 100 ms and by 1 after 400. */
const ELECTED: Story = {
  0: "1, 1 > 1, 1!, 2, 2 > 2, 2!, 3, 3 > 3, 3!",
  100: "1 > 2, 2 > 3",
  400: "1 > 3",
};

/** What is not valid, and why. */
function problems(...made: Parameters<typeof madeElection>): string[] {
  const { findings } = conclude(madeElection(...made)).verdict;
  return findings.flatMap(({ judgement, property, reasons }) =>
    judgement === "valid" ? [] : [`${judgement}: ${property}: ${reasons.join("; ")}`],
  );
}

const ONE = "all that live follow one that lives, in the end";
const GREATEST = "the greatest that lives leads, in the end";
const CRASH = { at: 5_000_000, fault: "crash leader", servers: [3] };

test("who take themselves for the leader are counted at each moment", () => {
  const { events } = madeElection({ ...ELECTED, 5000: "2 > 2", 6000: "3 ends" });
  const beliefs = new Beliefs();
  const claimants = events.flatMap((told) => {
    beliefs.see(told);
    return told.event === "elected" || told.event === "ended" ? [beliefs.claimants] : [];
  });
  assert.deepEqual(claimants, [1, 2, 3, 2, 1, 1, 2, 1]);
});

test("an interrupted run is as long as what was told of it, or done in it", () => {
  const crash = (at: number) => [
    { at: 450_000, fault: "crash p2", servers: [2] },
    { at, fault: "crash p1", servers: [1] },
  ];
  const perSecond = (at: number): number => {
    const recording = madeElection({ ...ELECTED, 6000: "1 > 1" }, {}, crash(at));
    return conclude({ ...recording, interrupted: true }).measures.messages.perSecond;
  };
  assert.deepEqual([perSecond(500_000), perSecond(8_000_000)], [3 / 6, 3 / 8]);
});

suite("an election by itself is judged by what it promises", () => {
  test("all follow the greatest: valid, though nobody wrote", () => {
    const { verdict } = conclude(madeElection(ELECTED));
    assert.equal(verdict.judgement, "valid");
    assert.ok(verdict.findings.every(({ operations }) => operations >= 3));
  });

  test("two leaders that remain are wrong, and who follows whom is told", () => {
    const { 400: _heard, ...story } = ELECTED;
    assert.deepEqual(problems(story), [
      `invalid: ${ONE}: 2 of 3 follow 3; 1 of 3 follow 2`,
      `unknown: ${GREATEST}: nothing was seen of it`,
    ]);
  });

  test("also when they had agreed before, and part for longer than that took", () => {
    assert.match(
      problems({ ...ELECTED, 5000: "1 > 1" })[0] ?? "",
      /^invalid: all that live .*1 of 3 follow 1/,
    );
  });

  test("who have just parted may meet again: unknown", () => {
    const [first] = problems({ ...ELECTED, 9800: "1 > 1" });
    assert.equal(first, `unknown: ${ONE}: they have differed for 200 ms; that took up to 400 ms before`);
  });

  test("for as long as the longest agreement took before, and no longer", () => {
    const parted = (ms: number) => problems({ ...ELECTED, [10_000 - ms]: "1 > 1" })[0] ?? "";
    assert.match(parted(400), /^unknown: .* they have differed for 400 ms; that took up to 400 ms before/);
    assert.match(parted(401), /^invalid: .*2 of 3 follow 3; 1 of 3 follow 1$/);
  });

  test("who follows one that does not live is told of", () => {
    const story = { ...ELECTED, 5000: "3 ends, 1 > 1, 2 > 3" };
    assert.match(problems(story)[0] ?? "", /1 of 2 follow 1.*1 of 2 follow 3, which does not live/);
  });

  test("where nothing was seen nothing is known", () => {
    const { verdict } = conclude(madeElection({}, { duration: "1s" }));
    assert.ok(verdict.findings.length >= 3);
    const [began, ...others] = verdict.findings;
    assert.deepEqual(began?.judgement, "unknown");
    assert.ok(others.every(({ judgement }) => judgement === "unknown"));
    assert.equal(verdict.judgement, "unknown");
  });

  test("who follow a dead one have no leader", () => {
    const dead = { ...ELECTED, 5000: "3 ends" };
    assert.deepEqual(problems(dead, {}, [CRASH])[0], `invalid: ${ONE}: 2 of 2 follow 3, which does not live`);
  });

  test("all follow one, but not the greatest", () => {
    assert.deepEqual(problems({ ...ELECTED, 400: "2 > 2, 3 > 2" }), [
      `invalid: ${GREATEST}: 2 leads, 3 lives`,
    ]);
  });

  test("a member that never began, and announcements that nobody recorded", () => {
    assert.deepEqual(problems({ 0: "2, 2 > 3, 3, 3 > 3" }), [
      "invalid: all began that were to: member 1 never began",
      "unknown: what was announced is what hosts counted: nothing was seen of it",
    ]);
    const recording = madeElection(ELECTED);
    const { verdict } = conclude({
      ...recording,
      counts: { ...recording.counts, sent: { announcement: 9 } },
    });
    assert.match(verdict.findings.at(-1)?.reasons[0] ?? "", /hosts counted 9, 3 were recorded/);
  });

  test("interrupted: what was not seen yet proves nothing against it", () => {
    const { 400: _heard, ...story } = ELECTED;
    assert.equal(conclude({ ...madeElection(story), interrupted: true }).verdict.judgement, "unknown");
  });
});

suite("what is measured of an election by itself", () => {
  const whole = {
    ...ELECTED,
    4000: "1 > 1",
    4250: "1 > 3",
    5000: "3 ends",
    7000: "1 > 1",
    7500: "2 > 2, 2!",
    7600: "1 > 2",
  };
  const { measures, summary } = conclude(madeElection(whole, {}, [CRASH]));

  test("until all agree and the last has heard the greatest, since the beginning and each fault", () => {
    assert.deepEqual(measures.disturbances, [
      { atMs: 0, what: "the beginning", agreedMs: 400, leader: 3, latchedMs: 400 },
      { atMs: 5000, what: "crash leader", agreedMs: 2600, leader: 2, latchedMs: 2600 },
    ]);
  });

  test("what came too late for a disturbance is null, and not the next one's", () => {
    const { 400: _heard, ...parted } = ELECTED;
    const story = { ...parted, 5000: "3 ends", 7500: "2 > 2", 7600: "1 > 2" };
    const [beginning, crash] = conclude(madeElection(story, {}, [CRASH])).measures.disturbances;
    assert.deepEqual([beginning?.agreedMs, beginning?.latchedMs], [null, null]);
    assert.deepEqual([crash?.agreedMs, crash?.latchedMs], [2500, 2500]);
  });

  test("who is to begin and has not yet is waited for: one alone is no group that agrees", () => {
    const slow = { 0: "2, 2 > 2", 20: "3, 3 > 3", 30: "1, 1 > 1", 100: "2 > 3", 400: "1 > 3" };
    const back = { at: 5_000_000, fault: "restart crashed", servers: [4] };
    const story = { ...slow, 5290: "4", 5300: "4 > 4", 5400: "1 > 4, 2 > 4", 5500: "3 > 4" };
    const flags = { members: "4", initiators: "1-3" };
    const [beginning, restart] = conclude(madeElection(story, flags, [back])).measures.disturbances;
    assert.deepEqual([beginning?.agreedMs, beginning?.latchedMs], [400, 400]);
    assert.deepEqual([restart?.leader, restart?.agreedMs, restart?.latchedMs], [4, 500, 500]);
  });

  test("the two part when a follower loses its leader before the last has heard it", () => {
    const parted = { ...ELECTED, 300: "2 > 2", 900: "2 > 3" };
    const [beginning] = conclude(madeElection(parted)).measures.disturbances;
    assert.deepEqual([beginning?.latchedMs, beginning?.agreedMs], [400, 900]);
  });

  test("how long they differed, and how often without any reason", () => {
    assert.deepEqual(measures.disagreement, { ms: 400 + 250 + 2600, share: 0.325, falseAlarms: 1 });
  });

  test("announcements in the first round, until latched, and all of them", () => {
    const { sent, firstRound, untilLatched } = measures.messages;
    assert.deepEqual([sent, firstRound, untilLatched], [4, 3, 3]);
  });

  test("the summary is what its schema says, and the published schema is the one that is used", () => {
    assert.deepEqual(electionSummarySchema.parse(JSON.parse(JSON.stringify(summary))), summary);
    const published = new URL("../../../reports/election-summary.schema.json", import.meta.url);
    const rewrite = "rewrite it: node orchestrator/measure/members/summary.ts";
    assert.equal(readFileSync(published, "utf8"), publishedElectionSchema(), rewrite);
  });

  test("thresholds can demand them", () => {
    const demands = ["latched<1s", "agreed<400ms", "agreed<=400ms", "reagreed<2.6s", "disagreement<4s"];
    const thresholds = demands.map((text) => {
      const parsed = parseElectionThreshold(text);
      return typeof parsed === "string" ? assert.fail(parsed) : parsed;
    });
    const outcomes = conclude(madeElection(whole, {}, [CRASH]), thresholds).thresholds;
    assert.deepEqual(
      outcomes.map(({ passed }) => passed),
      [true, false, true, false, true],
    );
  });

  test("what is no threshold is refused in a sentence", () => {
    const refused = (text: string): string => {
      const parsed = parseElectionThreshold(text);
      return typeof parsed === "string" ? parsed : assert.fail(text);
    };
    assert.match(refused("outage<2s"), /"outage" is not measured; valid are latched/);
    assert.match(refused("latched<2"), /"2" in "latched<2" is no duration such as 2s/);
    assert.match(refused("fast"), /"fast" is no threshold such as latched<2s/);
  });
});
