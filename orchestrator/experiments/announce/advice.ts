/**
 * Which timers a group should have: T_S ten times as long as a way, so that few speak in vain; T_A long
 * enough that nobody repeats itself meanwhile; T_L as short as the false alarms allow that one puts up with;
 * and as many copies of a Bye as reach all but one time in a hundred. What follows from them is told by the
 * right formulas, and beside each stands what groups in virtual time did.
 */

import { groupElections } from "#node/election/group-catalog.ts";
import { Random } from "#node/core/random.ts";
import { type Duration, milliseconds } from "#node/core/time.ts";
import { firstRound, GroupElectionWorld } from "#node/host/virtual/group-election-world.ts";
import * as formulas from "./formulas.ts";
import type { LossKind } from "./formulas.ts";
import { type Sample, sampleOf } from "./sample.ts";

export interface Need {
  readonly members: number;
  readonly loss: number;
  readonly kind: LossKind;
  /** One way. */
  readonly delay: Duration;
  /** T_A, where somebody has decided. */
  readonly announce: Duration | null;
  /** The part of the time for which members may differ though nothing has failed. */
  readonly falseAlarms: number;
}

export interface Timers {
  readonly announce: Duration;
  readonly listen: Duration;
  readonly suppress: Duration;
  readonly bye: number;
}

export interface Consequence {
  readonly what: string;
  readonly unit: "s" | "messages" | "share";
  readonly formula: number | null;
  readonly virtual: Sample | null;
}

const REACH = 0.99;
const SILENCE_IN_WAYS = 10;
/** Timers of real members are as exact as a millisecond, and a shorter T_A saves little. */
const SHORTEST = milliseconds(500);
const STEP = milliseconds(100);

export function timersFor({ members, loss, kind, delay, announce: given, falseAlarms }: Need): Timers {
  const shortest = Math.max(SHORTEST, (SILENCE_IN_WAYS + 1) * delay);
  const announce = given ?? ((Math.ceil(shortest / STEP) * STEP) as Duration);
  const suppress = Math.min(SILENCE_IN_WAYS * delay, Math.max(0, announce - delay)) as Duration;
  let heartbeats = 2;
  while (formulas.falseShare(kind, loss, members, heartbeats + 0.5) > falseAlarms) heartbeats += 1;
  const bye = loss === 0 ? 1 : formulas.byeCopies(kind, loss, members - 1, REACH);
  return { announce, suppress, listen: ((heartbeats + 0.5) * announce) as Duration, bye };
}

/** Formula beside `runs` groups in virtual time. */
export function consequences(need: Need, timers: Timers, runs: number): readonly Consequence[] {
  const { members, loss, kind } = need;
  const second = timers.announce / 1e6;
  const [suppress, listen, delay] = [timers.suppress, timers.listen, need.delay].map(
    (time) => time / timers.announce,
  ) as [number, number, number];
  const shape = {
    election: groupElections["le-s"],
    size: members,
    suppress,
    delay,
    [kind]: loss,
  };
  const begun = repeat(runs, (seed) => firstRound(shape, seed));
  const seconds = (values: readonly number[]): Sample => sampleOf(values.map((value) => value * second));
  const departure = { members, listen, suppress, delay, loss };
  const left = kind === "shared" ? formulas.sharedDeparture : formulas.independentDeparture;
  const death = (bye: number): readonly number[] =>
    repeat(runs, (seed) => departureOf({ ...shape, listen, more: { bye } }, bye > 0, seed)).filter(
      (time) => time !== null,
    );
  const isExact = loss === 0 || kind === "shared";
  const messages = suppress === 0 ? members : formulas.messages(members, loss, Math.min(1, delay / suppress));
  return [
    {
      what: "from a common beginning until the last has heard the leader",
      unit: "s",
      formula: second * (formulas.leadershipDelay(kind, loss, members, suppress) + delay),
      virtual: seconds(begun.map((run) => run.delay)),
    },
    {
      what: "announcements of that first round",
      unit: "messages",
      formula: isExact ? messages : null,
      virtual: sampleOf(begun.map((run) => run.inSuppress)),
    },
    {
      what: "from the leader's death in silence until all follow the next",
      unit: "s",
      formula: members < 3 ? null : second * left(departure),
      virtual: members < 3 ? null : seconds(death(0)),
    },
    {
      what: `the same when it says Bye ${timers.bye} times`,
      unit: "s",
      formula: loss === 0 ? second * (2 * delay + suppress / 2) : null,
      virtual: members < 3 ? null : seconds(death(timers.bye)),
    },
    {
      what: "until a greater one that joins is followed by all",
      unit: "s",
      formula: second * (formulas.largerJoiner(kind, loss, members, suppress) + delay),
      virtual: null,
    },
    {
      what: "until a smaller one that joins follows",
      unit: "s",
      formula: second * formulas.smallerJoiner(loss),
      virtual: null,
    },
    { what: "announcements a second, once all agree", unit: "messages", formula: 1 / second, virtual: null },
    {
      what: "of the time members differ though nothing failed",
      unit: "share",
      formula: formulas.falseShare(kind, loss, members, listen),
      virtual: sampleOf(repeat(STRETCHES, (seed) => differing({ ...shape, listen }, seed))),
    },
  ];
}

type Shape = ConstructorParameters<typeof GroupElectionWorld>[0];

const STRETCHES = 20;
const STRETCH = 1000;
const SETTLED = 20;

function differing(shape: Shape, seed: number): number {
  const world = allBegun(shape, seed);
  world.run(SETTLED);
  return world.disagreement(SETTLED + STRETCH);
}

/** From the end of a leader that all follow; null when they differed then. */
function departureOf(shape: Shape, says: boolean, seed: number): number | null {
  const world = allBegun(shape, seed);
  world.run(SETTLED + new Random(seed, 1).unit());
  if (!world.isAgreedOn(shape.size)) return null;
  const death = world.now;
  if (says) world.leave(shape.size);
  else world.stop(shape.size);
  world.run(death + 1000, () => world.isAgreedOn(shape.size - 1));
  return world.now - death;
}

const allBegun = (shape: Shape, seed: number): GroupElectionWorld =>
  new GroupElectionWorld(shape, seed).start(...Array.from({ length: shape.size }, (_, index) => index + 1));

const repeat = <T>(runs: number, of: (seed: number) => T): readonly T[] =>
  Array.from({ length: runs }, (_, seed) => of(seed + 1));
