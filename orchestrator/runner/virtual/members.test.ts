// Elections by themselves as trials: planned, run, concluded. What Schooler's formulas and a simulation
// written apart from this one say must come out of the whole way; T_A = 1 s, and a way takes 50 ms.
import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "#node/core/random.ts";
import { type Duration, milliseconds } from "#node/core/time.ts";
import { conclude } from "../../measure/conclude.ts";
import { type MembersFlags, planMembers } from "../../plan/members-flags.ts";
import type { ElectionPlan } from "../../plan/plan.ts";
import { mean } from "../../statistics/summary.ts";
import { withLink } from "../../topology/topology.ts";
import { simulateElection } from "./members.ts";

const RUNS = 400;
const LONG = "900s";

/** In which every way takes 50 ms, and machines take no time. */
function exact(flags: MembersFlags, seed: number): ElectionPlan {
  const plan = planMembers({ duration: "40s", ...flags }, "sim");
  const topology = withLink(plan.topology, "lan", "lan", { delay: milliseconds(50), jitter: null });
  return { ...plan, topology, seed };
}

const run = (plan: ElectionPlan) => conclude(simulateElection(plan, { handling: 0 as Duration })).measures;

function isAbout(values: readonly number[], expected: number, sd: number, what: string): void {
  const room = (4 * sd) / Math.sqrt(values.length) + 0.0005;
  const found = mean(values);
  assert.ok(
    Math.abs(found - expected) <= room,
    `${what}: ${found.toFixed(4)}, not ${expected} +- ${room.toFixed(4)}`,
  );
}

type Expected = readonly [mean: number, sd: number];

const TARGETS: readonly (readonly [
  MembersFlags,
  latched: Expected,
  firstRound: Expected,
  until: Expected,
])[] = [
  [{ members: "5", loss: "10%", shared: true }, [0.4111, 0.383], [2.803, 1.05], [2.99, 1.32]],
  [{ members: "10", loss: "40%" }, [2.888, 1.39], [5.062, 1.32], [8.821, 2.71]],
];

for (const [flags, latched, firstRound, untilLatched] of TARGETS) {
  test(`LE-S of ${flags.members}, ${flags.loss} lost ${flags.shared === true ? "by all" : "by each"}`, () => {
    const all = Array.from({ length: RUNS }, (_, seed) => run(exact({ ...flags, listen: LONG }, seed)));
    const delays = all.map(({ disturbances }) => (disturbances[0]?.latchedMs ?? Number.NaN) / 1e3);
    isAbout(delays, ...latched, "until latched");
    isAbout(
      all.map(({ messages }) => messages.firstRound),
      ...firstRound,
      "announcements in T_S",
    );
    const until = all.map(({ messages }) => messages.untilLatched ?? Number.NaN);
    isAbout(until, ...untilLatched, "announcements until latched");
  });
}

test("LE-S of 5, T_L 2.5: the leader dies, and all that are left agree", () => {
  const random = new Random(7);
  const delays = Array.from({ length: RUNS }, (_, seed) => {
    const killAt = `${Math.round(20e6 + random.unit() * 1e6)}us`;
    const { disturbances } = run(exact({ members: "5", listen: "2500ms", killAt }, seed));
    assert.deepEqual([disturbances[0]?.leader, disturbances[1]?.leader], [5, 4]);
    return (disturbances[1]?.agreedMs ?? Number.NaN) / 1e3;
  });
  isAbout(delays, 2.35, 0.32, "until agreed");
});

test("false alarms: with T_L 1.5 and a tenth lost by each, they differ a fifth of the time", () => {
  const flags = { members: "5", listen: "1500ms", loss: "10%", duration: "2000s" };
  const { disagreement } = run(exact(flags, 1));
  assert.ok(Math.abs(disagreement.share - 0.1917) < 0.02, `${disagreement.share}`);
  assert.ok(disagreement.falseAlarms > 300);
});

test("who comes late by a fault is followed when it is the greatest", () => {
  const { disturbances } = run(exact({ initiators: "1-4", fault: ["10s restart crashed"] }, 1));
  assert.deepEqual(
    disturbances.map(({ what, leader }) => [what, leader]),
    [
      ["the beginning", 4],
      ["restart crashed", 5],
    ],
  );
});

test("a leader that leaves says Bye, and the next is found without waiting for T_L", () => {
  const left = (bye: string): number => {
    const plan = exact({ members: "5", bye, fault: ["10s leave leader"] }, 1);
    const { plan: run, ...recording } = simulateElection(plan, { handling: 0 as Duration });
    assert.equal(recording.counts.sent["bye"] ?? 0, Number(bye), "so many copies");
    const { disturbances } = conclude({ plan: run, ...recording }).measures;
    assert.deepEqual([disturbances[1]?.what, disturbances[1]?.leader], ["leave leader", 4]);
    return disturbances[1]?.agreedMs ?? Number.NaN;
  };
  assert.ok(left("2") <= 2 * 50 + 500, "two ways and T_S at most");
  assert.ok(left("0") >= 2500, "T_L less one heartbeat at least");
});

test("all speak at once, and what finds a listener's buffer full is counted", () => {
  const { counts } = simulateElection(
    exact({ members: "40", election: "le-a", buffer: "4", duration: "9500ms" }, 1),
  );
  const full = counts.overflown ?? 0;
  assert.ok(full > 0);
  const sent = counts.sent["announcement"] ?? 0;
  assert.equal(sent * 39, full + (counts.given["announcement"] ?? 0));
});
