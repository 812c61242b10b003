/**
 * Mistakes in elections, each in a story that tells it from what is right: what comes of the same beginning
 * without the mistake, and with it.
 */

import type { Effect, Input } from "../../core/automaton.ts";
import { ensemble, type ServerId, serverId } from "../../core/identity.ts";
import type { Mutant } from "../../core/mutant.ts";
import { BLANK } from "../../core/recovery.ts";
import { round } from "../../core/score.ts";
import { type Duration, instant, milliseconds as ms, timeOfDay } from "../../core/time.ts";
import { type ElectionName, entryOf, valuesOf } from "../../election/catalog.ts";
import type { ElectionProtocol } from "../../election/election.ts";
import type { Value } from "../../election/options.ts";
import { vote } from "../../election/vote/entry.ts";
import type { MajoritySays } from "../../election/vote/message.ts";
import { deployment1, ids, outcomeOf } from "./peer-cast.ts";
import { Rehearsal } from "./rehearsal.ts";
import { type Script, scripted } from "./scripted-judge.ts";

export interface Mistake {
  readonly election: ElectionName;
  readonly mutant: Mutant;
  readonly story: string;
  /** What comes of it, in a few words. */
  readonly outcome: (mutant: Mutant | null) => string;
}

interface Stage {
  readonly mutant: Mutant | null;
  readonly servers?: readonly number[];
  readonly options?: Readonly<Record<string, Value>>;
  readonly score?: (self: ServerId) => Script["score"];
  readonly delay?: (from: ServerId, to: ServerId) => Duration;
  readonly rate?: (server: ServerId) => number;
}

/** Five servers, 10 ms apart, all as good, unless told otherwise. */
function rehearse(
  name: ElectionName,
  {
    mutant,
    servers: named = [1, 2, 3, 4, 5],
    options = {},
    score = () => 0,
    delay = () => ms(10),
    rate,
  }: Stage,
): Rehearsal<unknown> {
  const servers = ensemble([...named].sort((a, b) => a - b));
  const values = { ...valuesOf({ name }), ...options };
  return new Rehearsal<unknown>({
    say: () => "",
    servers,
    delay,
    ...(rate !== undefined && { rate }),
    enter: (self) =>
      entryOf(name).create({ self, servers, judge: scripted({ score: score(self) }), mutant }, values),
  });
}

const all = ids(1, 2, 3, 4, 5) as [ServerId, ServerId, ServerId, ServerId, ServerId];
const [p1, p2, p3, p4, p5] = all;

const followed = (play: Rehearsal<unknown>): string => outcomeOf(play).join(", ") || "nobody is followed";
const reigned = ({ reigns }: Rehearsal<unknown>): string =>
  reigns.length === 0 ? "nobody leads" : `${reigns.map(({ leader }) => `p${leader}`).join(", ")} led`;
const timesOf = (count: number): string => (count === 1 ? "once" : `${count} times`);

function firstAfter({ elected }: Rehearsal<unknown>, since: number): string {
  const times = [...elected.values()].map(({ at }) => (at - since) / 1e3);
  return times.length === 0 ? "nobody leads" : `the first knows after ${Math.min(...times)} ms`;
}

const BY_ID = { byScore: false };
const p5Dead = (mutant: Mutant | null, options: Stage["options"] = {}): Rehearsal<unknown> =>
  rehearse("bully", { mutant, options })
    .enter(ms(0), ...all)
    .crash(ms(1), p5);

const OF_BULLY: readonly Omit<Mistake, "election">[] = [
  {
    mutant: "ok-not-awaited",
    story: "p5 is dead; p1 notices, and asks all",
    outcome: (mutant) => reigned(p5Dead(mutant).elect(ms(100), p1).play(ms(3000))),
  },
  {
    mutant: "dead-not-skipped",
    story: "p5 is dead, and p4 notices",
    outcome: (mutant) => firstAfter(p5Dead(mutant, BY_ID).elect(ms(100), p4).play(ms(3000)), ms(100)),
  },
  {
    mutant: "coordinator-without-quorum",
    story: "two of five live",
    outcome: (mutant) =>
      followed(rehearse("bully", { mutant }).enter(ms(0), p1, p2).elect(ms(100), p1, p2).play(ms(9000))),
  },
  {
    mutant: "bullied-on-recovery",
    story: "p4 leads, and p5 comes back",
    outcome: (mutant) => {
      const play = rehearse("bully", { mutant, options: BY_ID }).start(ms(0), p1, p2, p3, p4);
      return followed(play.start(ms(1000), p5).play(ms(3000)));
    },
  },
  {
    mutant: "two-followed-in-a-round",
    story: "p4 and p5 cannot reach each other, and both look for a leader",
    outcome(mutant) {
      const play = rehearse("bully", { mutant, options: BY_ID }).enter(ms(0), ...all);
      play.cut(ms(1), [p4], [p5]).elect(ms(100), p4, p5).play(ms(1000));
      const lines = play.transcript.split("\n").filter((line) => / p1 {2}ELECTS .* round 1$/.test(line));
      return `p1 elects somebody in round 1 ${timesOf(lines.length)}`;
    },
  },
];

/** By leases: a fifth is what clocks may drift, so a promise of 1200 ms bears a lease of 1000. */
const LEASES = { sitOut: ms(1200), promise: ms(1200), lease: ms(1000), drift: 200_000 };

/** p3 leads, and is cut off at some moment between two renewals; the others look for another at once. */
function cutOff(mutant: Mutant | null, oneWay: number, master: number, at: number): boolean {
  const play = rehearse("vote", {
    mutant,
    servers: [1, 2, 3],
    options: LEASES,
    score: (self) => self,
    delay: (from, to) => ms(from === p3 || to === p3 ? oneWay : 1),
    rate: (server) => (server === p3 ? master : 1),
  });
  play.enter(ms(0), p1, p2, p3).elect(ms(2000), p3).play(ms(at));
  play
    .isolate(ms(at), p3)
    .elect(ms(at + 10), p1, p2)
    .play(ms(60_000));
  return play.reigns.some((one, index) =>
    play.reigns
      .slice(index + 1)
      .some((later) => one.leader !== later.leader && later.from < (one.until ?? Infinity)),
  );
}

function mastersOf(mutant: Mutant | null, oneWay: number, master: number): string {
  const moments = Array.from({ length: 25 }, (_, index) => 20_000 + 20 * index);
  return moments.some((at) => cutOff(mutant, oneWay, master, at))
    ? "two masters at once"
    : "one master at a time";
}

/** Whom one voter of three grants its vote, asked by others. */
function grants(
  mutant: Mutant | null,
  asks: readonly (readonly [ServerId, number])[],
  starts: boolean,
): string {
  const values = { ...valuesOf({ name: "vote" }), standDelay: ms(1000) } as Parameters<typeof vote.create>[1];
  const servers = ensemble([1, 2, 3]);
  const voter = vote.create({ self: p1, servers, judge: scripted({ score: 0 }), mutant }, values);
  const given = (effect: Effect<ElectionProtocol<MajoritySays>>): string[] =>
    effect.kind === "send" && effect.message.kind === "grant" ? effect.to.map((to) => `p${to}`) : [];
  const start: Input<ElectionProtocol<MajoritySays>> = {
    kind: "start",
    recovered: BLANK,
    life: 7,
    timeOfDay: timeOfDay(0),
  };
  const asked = asks.map(([from, inRound]): Input<ElectionProtocol<MajoritySays>> => {
    const key = { score: [0], server: from };
    return { kind: "message", from, message: { kind: "ask", round: round(inRound), key } };
  });
  const votes = [...(starts ? [start] : []), ...asked]
    .flatMap((input) => voter.step(input, instant(0)))
    .flatMap(given);
  return votes.length === 0 ? "it votes for nobody" : `it votes for ${votes.join(", ")}`;
}

const OF_VOTE: readonly Omit<Mistake, "election">[] = [
  {
    mutant: "voted-twice-a-round",
    story: "p2 and then p3 ask p1 in one round",
    outcome: (mutant) =>
      grants(
        mutant,
        [
          [p2, 1],
          [p3, 1],
        ],
        false,
      ),
  },
  {
    mutant: "restarted-voter-votes",
    story: "p1 has just started, and p2 asks it",
    outcome: (mutant) => grants(mutant, [[p2, 5]], true),
  },
  {
    mutant: "master-without-majority",
    story: "two of five live",
    outcome: (mutant) =>
      followed(rehearse("vote", { mutant }).enter(ms(0), p1, p2).elect(ms(1000), p1, p2).play(ms(9000))),
  },
  {
    mutant: "master-informs-nobody",
    story: "p5 stands alone",
    outcome(mutant) {
      const play = rehearse("vote", { mutant }).enter(ms(0), ...all);
      return `after 200 ms ${play.elect(ms(1000), p5).play(ms(1200)).elected.size} of 5 know`;
    },
  },
  {
    mutant: "not-all-awaited",
    story: "all wait for all; p1 is the best, and the farthest",
    outcome(mutant) {
      const score = (server: ServerId): number => (server === p1 ? 1 : 0);
      const options = { waitForAll: true };
      const play = rehearse("vote", { mutant, score, options, delay: deployment1 }).enter(ms(0), ...all);
      return followed(play.elect(ms(1000), p5).play(ms(4999)).crash(ms(5000), p5).play(ms(5500)));
    },
  },
  {
    mutant: "lease-from-answer",
    story: "p3 leads by leases, its clock as slow as allowed, and is cut off",
    outcome: (mutant) => mastersOf(mutant, 120, 1 / 1.2),
  },
  {
    mutant: "promise-forgotten",
    story: "p3 leads by leases, and is cut off",
    outcome: (mutant) => mastersOf(mutant, 10, 1),
  },
];

const ofRing = (election: ElectionName): readonly Omit<Mistake, "election">[] => [
  {
    mutant: "token-without-quorum",
    story: "two of five live",
    outcome: (mutant) => followed(rehearse(election, { mutant }).start(ms(0), p1, p2).play(ms(9000))),
  },
  {
    mutant: "gap-not-closed",
    story: "p1 dies with the token of p5 in its hands",
    outcome(mutant) {
      const play = rehearse(election, { mutant }).start(ms(0), ...all);
      return followed(play.crash(ms(5), p1).play(ms(390)));
    },
  },
  {
    mutant: "lost-token-not-repeated",
    story: "for a while nothing comes to p2, and nothing from it",
    outcome(mutant) {
      const play = rehearse(election, { mutant, servers: [1, 2, 3] }).start(ms(0), p1, p2, p3);
      return followed(play.isolate(ms(5), p2).rejoin(ms(300), p2).play(ms(9000)));
    },
  },
  {
    mutant: "ties-without-id",
    story: "all scores are equal",
    outcome: (mutant) =>
      followed(
        rehearse(election, { mutant })
          .start(ms(0), ...all)
          .play(ms(9000)),
      ),
  },
];

/**
 * p2 cannot reach the leader for a while, begins a round in which it would be the best of all, and learns by
 * votes that the leader still leads. Then the leader dies; p2 hears of it after so long a time.
 */
function returned(election: ElectionName, mutant: Mutant | null, hears: number): Rehearsal<unknown> {
  let drawn = 0;
  const score = (self: ServerId) => (self === p2 ? () => (drawn++ === 1 ? 100 : 0) : 10 * self);
  const delay = (from: ServerId, to: ServerId) => ms(from === p5 && to === p2 ? hears : 1);
  const play = rehearse(election, { mutant, score, delay }).start(ms(0), ...all);
  play.play(ms(9000)).cut(ms(10_000), [p2], [p5]).mend(ms(14_000), [p2], [p5]).play(ms(20_000));
  return play.crash(ms(21_000), p5);
}

const ofFrozenKeys = (election: ElectionName): readonly Omit<Mistake, "election">[] => [
  {
    mutant: "round-falls",
    story: "p2 stood in a later round, is told of the leader of an earlier one, and the leader dies",
    outcome(mutant) {
      const lines = returned(election, mutant, 1).play(ms(60_000)).transcript.split("\n");
      const drawn = lines.flatMap((line) => /p2 {2}scores .* in round (\d+)/.exec(line)?.[1] ?? []);
      return drawn.length === new Set(drawn).size ? "a key for each round" : "two keys for one round";
    },
  },
  {
    mutant: "gone-key-kept",
    story: "the same, and p2 hears of the death two seconds later",
    outcome(mutant) {
      const { elected } = returned(election, mutant, 2000).play(ms(22_900));
      return [p1, p3, p4].map((server) => `p${server}: p${elected.get(server)?.leader ?? "?"}`).join(", ");
    },
  },
];

/** The lecture's ring, begun by 3 and 6. */
function begunByTwo(mutant: Mutant | null): string {
  const ring = [12, 3, 32, 5, 80, 6].map(serverId);
  const options = { electionRetry: ms(100_000), initiatorCache: true, ring };
  const play = rehearse("ring", { mutant, servers: ring, options }).enter(ms(0), ...ring);
  return reigned(play.elect(ms(0), serverId(3), serverId(6)).play(ms(50_000)));
}

const OF_RUNS: readonly Omit<Mistake, "election">[] = (
  ["flag-for-all-runs", "smaller-passed-on"] as const
).map((mutant) => ({
  mutant,
  story: "the ring 12 3 32 5 80 6, begun by 3 and 6",
  outcome: begunByTwo,
}));

const of = (election: ElectionName, mistakes: readonly Omit<Mistake, "election">[]): readonly Mistake[] =>
  mistakes.map((mistake) => ({ election, ...mistake }));

/** Four of each election at least. */
export const MISTAKES: readonly Mistake[] = [
  ...of("bully", OF_BULLY),
  ...of("vote", OF_VOTE),
  ...of("lcr", [...ofRing("lcr"), ...ofFrozenKeys("lcr")]),
  ...of("hs", [...ofRing("hs"), ...ofFrozenKeys("hs")]),
  ...of("ring", [...ofRing("ring"), ...OF_RUNS]),
];
