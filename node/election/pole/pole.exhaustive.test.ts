// lane: works, 8 s
// Three servers, and everything that can happen to them. The counts are of worlds visited: when one changes,
// POLE does something else than before, and somebody should know why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import { type Explored, explore } from "../../testing/election/explore.ts";
import type { PoleMessage } from "./message.ts";
import { PoleElection, type PoleOptions } from "./pole.ts";
import type { PoleState } from "./state.ts";
import { scripted } from "../../testing/election/scripted-judge.ts";
import { SmallWorld, type SmallWorldOptions } from "../../testing/election/small-world.ts";

const servers = ensemble([1, 2, 3]);
const p3 = serverId(3);

type Outcome = ReadonlyMap<ServerId, ServerId | null>;
type Setting = Omit<SmallWorldOptions<PoleMessage, PoleState>, "servers" | "enter"> & Partial<PoleOptions>;

/** p3 scores best, unless told otherwise. */
function everything({ judge, knownDown = true, mutant = null, ...world }: Setting): Explored {
  const enter = (self: ServerId, state: PoleState | null) => {
    const scored = judge ?? scripted({ score: self * 10 });
    const options = { self, servers, judge: scored, knownDown, succession: false, mutant };
    const automaton = new PoleElection(options, state ?? undefined);
    return { automaton, state: () => automaton.state };
  };
  return explore(new SmallWorld({ ...world, servers, enter }));
}

const say = (leaders: Outcome) =>
  `they end with ${[...leaders].map(([server, leader]) => `p${server}: p${leader}`).join(", ")}`;

const allFollow = (leader: ServerId) => (leaders: Outcome) =>
  [...leaders.values()].every((other) => other === leader) ? null : say(leaders);

/** One leader, and it lives. */
const agree = (leaders: Outcome) => {
  const [leader] = leaders.values();
  return leader && leaders.has(leader) ? allFollow(leader)(leaders) : say(leaders);
};
const anything = () => null;

const nothingWrong = (worlds: number, ends: number): Explored => ({ worlds, ends, complaint: null });

test("without faults, and with timers longer than the messages take, all elect the best", () => {
  const timely = { timersFire: "last", retries: 1, complainOfEnd: allFollow(p3) } as const;
  assert.deepEqual(everything({ ...timely, knownDown: true }), nothingWrong(32355, 5));
  assert.deepEqual(everything({ ...timely, knownDown: false }), nothingWrong(24799, 1));
});

test("equal scores: all elect the highest id", () => {
  const tied = { timersFire: "last", judge: scripted({ score: 7 }), complainOfEnd: allFollow(p3) } as const;
  assert.deepEqual(everything(tied), nothingWrong(32355, 5));
  assert.match(everything({ ...tied, mutant: "ties-without-id" }).complaint ?? "", /they end with/);
});

test("whoever comes late or asks again: all agree, and a settled quorum keeps its leader", () => {
  const late = { timersFire: "quiet", retries: 1, askAgain: 3, complainOfEnd: agree } as const;
  assert.deepEqual(everything({ ...late, knownDown: true }), nothingWrong(115550, 46));
  assert.deepEqual(everything({ ...late, knownDown: false }), nothingWrong(87642, 19));
});

test("however early timers fire, nobody is elected in a round in which it proposed nothing", () => {
  const hasty = { timersFire: "any time", complainOfEnd: anything } as const;
  assert.deepEqual(everything({ ...hasty, knownDown: true }), nothingWrong(157821, 38));
  assert.deepEqual(everything({ ...hasty, knownDown: false }), nothingWrong(108847, 9));
});

const oneDies = { timersFire: "quiet", crashes: 1, askAgain: 4, complainOfEnd: agree } as const;

test("whoever dies, and whenever the others ask again: they agree on one that lives", () => {
  assert.deepEqual(everything({ ...oneDies, knownDown: true }), nothingWrong(84778, 191));
});

test("to the letter, two survivors can miss each other: each takes the other's vote for a proposal", () => {
  const { complaint } = everything({ ...oneDies, knownDown: false });
  assert.match(complaint ?? "", /they end with p1: p1, p2: p2$/);
});
