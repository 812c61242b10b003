/**
 * The impossibility as something that one can watch: in an anonymous ring all stay alike round after round,
 * so nobody is elected or everybody, and what repeats repeats for ever. Then the two ways out: one name that
 * differs, and chance.
 */

import { Random } from "#node/core/random.ts";
import { type Alike, watchAlike } from "#node/theory/anonymous/watch-alike.ts";
import { Anonymous, drawMachine } from "#node/theory/anonymous/machine.ts";
import { Names } from "#node/theory/anonymous/names.ts";
import { lectures } from "#node/theory/catalog.ts";
import { inStep } from "#node/theory/in-step.ts";
import { places } from "#node/theory/lecture.ts";
import type { Outcome } from "#node/theory/outcome.ts";
import { expectedPhases } from "#node/theory/itai-rodeh/expected-phases.ts";
import { ItaiRodeh } from "#node/theory/itai-rodeh/itai-rodeh.ts";

export interface Anonymity {
  readonly n: number;
  /** Of the algorithms with ids, when all ids are equal: how many lead. */
  readonly equalIds: readonly { readonly algorithm: string; readonly leaders: number; readonly at: number }[];
  /**
   * Of processes drawn at random, how often so many were elected; and whether all stayed alike in each round.
   */
  readonly drawn: {
    readonly tried: number;
    readonly elected: Readonly<Record<string, number>>;
    readonly alike: boolean;
  };
  /** One of them in which nobody is elected, for ever, and one in which everybody is. */
  readonly watched: readonly Alike[];
  readonly oneDiffers: Outcome;
  readonly phases: { readonly tried: number; readonly mean: number; readonly expected: number };
}

const TRIED = 1000;
const STATES = 6;
const WORDS = 3;

export function anonymityOf(n: number, seed: number): Anonymity {
  const random = new Random(seed);
  const watched = places(TRIED).map(() => {
    const machine = drawMachine(random, STATES, WORDS);
    return watchAlike(places(n).map(() => new Anonymous(machine)));
  });
  const elected = Object.groupBy(watched, (one) => String(one.elected));
  const longest = (all: readonly Alike[] = []): readonly Alike[] =>
    all.toSorted((a, b) => b.rounds.length - a.rounds.length).slice(0, 1);
  return {
    n,
    equalIds: (["lcr", "hs"] as const).map((algorithm) => equal(algorithm, n)),
    drawn: {
      tried: TRIED,
      elected: Object.fromEntries(Object.entries(elected).map(([count, all = []]) => [count, all.length])),
      alike: watched.every(({ alike }) => alike),
    },
    watched: [...longest(elected["0"]), ...longest(elected[String(n)])],
    oneDiffers: named(places(n).map((place) => (place === 0 ? 6 : 5))),
    phases: phasesOf(n, random),
  };
}

function equal(algorithm: "lcr" | "hs", n: number) {
  const cast = lectures[algorithm].cast(
    { ids: places(n).map(() => 7), initiators: places(n), seed: 0 },
    null,
  );
  const { leaders } = inStep({ ...cast, until: () => true });
  return { algorithm, leaders: leaders.length, at: leaders[0]?.at ?? 0 };
}

const named = (names: readonly number[]): Outcome =>
  inStep({
    ids: names,
    initiators: [],
    rounds: true,
    processes: names.map((name) => new Names(name, names.length)),
    until: (now) => now === names.length,
  });

function phasesOf(n: number, random: Random): Anonymity["phases"] {
  const counts = places(TRIED).map(() => {
    const processes = places(n).map(() => {
      const own = random.fork();
      return new ItaiRodeh(n, () => own.integer(1, n));
    });
    inStep({ ids: places(n), initiators: places(n), processes });
    return Math.max(...processes.map(({ phase }) => phase));
  });
  return {
    tried: TRIED,
    mean: counts.reduce((all, one) => all + one, 0) / TRIED,
    expected: expectedPhases(n),
  };
}

/** Some, but not all were elected, or processes came apart, or one that differs did not lead. */
export const isContradicted = ({ n, drawn, oneDiffers }: Anonymity): boolean =>
  !drawn.alike ||
  oneDiffers.leaders.length !== 1 ||
  Object.keys(drawn.elected).some((count) => count !== "0" && count !== String(n));

/** For somebody who has not heard the lecture. */
export function anonymityText({ n, equalIds, drawn, watched, oneDiffers, phases }: Anonymity): string {
  const led = ([count, times]: readonly [string, number]): string =>
    count === "0" ? `nobody, for ever, in ${times}` : `${count} of ${n} in ${times}`;
  return [
    `${n} processes in a ring, all alike: no ids, one program, one beginning, rounds in which all step`,
    "",
    ...equalIds.map(
      ({ algorithm, leaders, at }) =>
        `${algorithm} with equal ids: ${leaders} of ${n} lead after round ${at}`,
    ),
    "",
    `${drawn.tried} programs drawn by chance, ${STATES} states and ${WORDS} words each; elected were ` +
      `${Object.entries(drawn.elected).map(led).join(", ")}`,
    drawn.alike
      ? "after each round of each of them all processes remembered the same"
      : "CONTRADICTED: processes that began alike have come apart",
    "",
    ...watched.flatMap((one) => [...watchedText(one, n), ""]),
    `one name differs: ${oneDiffers.leaders.length} leads, when every name has gone round`,
    `chance (Itai-Rodeh): one leads each time, after ${phases.mean.toFixed(3)} phases in the mean of ` +
      `${phases.tried}; ${phases.expected.toFixed(3)} are to be expected`,
  ].join("\n");
}

function watchedText({ rounds, elected, repeats }: Alike, n: number): readonly string[] {
  const told = rounds.map((state, round) => {
    const when = round === 0 ? "in the beginning" : `after round ${round}`;
    return `  ${when.padEnd(16)}  all ${n} in state ${state}`;
  });
  const end =
    elected > 0
      ? `  all ${elected} were elected: whoever enters that state does so with all others`
      : `  as after round ${repeats ?? 0}: from here on it repeats, and nobody is ever elected`;
  return [elected > 0 ? "everybody is elected:" : "nobody is elected:", ...told, end];
}
