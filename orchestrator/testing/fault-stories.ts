/**
 * Stories in which every kind of fault happens that both can do, to a server, to the leader and to a
 * site, and what of it must be seen in the recording. They are told in virtual time and on real processes
 * alike: what a fault does is the same in both.
 *
 * The deployment is 3dc, where p5 at caltech leads: slac is 9.88 ms away from it and fnal 77.06 ms, and every
 * server has a client of its own number.
 */

import assert from "node:assert/strict";
import { conclude } from "../measure/conclude.ts";
import type { Mark, ServiceRecording } from "../recording/recording.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { TrialFlags } from "../plan/flags.ts";
import { latencyMs, type WriteOperation } from "../workload/operation.ts";

export interface Story {
  readonly name: string;
  readonly flags: TrialFlags;
  readonly check: (recording: ServiceRecording) => void;
}

const FLAGS: TrialFlags = { topology: "3dc", rate: "150/s", warmUp: "500ms", settle: "500ms" };

/** The network suffers. */
const OF_LINKS: Story = {
  name: "cut off, cut one way, healed, and farther away than before",
  flags: {
    ...FLAGS,
    duration: "15s",
    fault: [
      "1500ms cut p1",
      "3s heal",
      "4500ms cut-one-way site:fnal leader",
      "6s heal",
      "7500ms link caltech fnal 200ms",
      "10s cut site:fnal",
      "13500ms heal",
    ],
  },
  check: (recording) => {
    const [cut, healed, oneWay, healedAgain, farther, away, back] = marksOf(recording, [
      [1],
      ALL,
      [1],
      ALL,
      [4, 5, 1],
      [1],
      ALL,
    ]);
    heldUp(recording, cut, healed, ({ site }) => site === "fnal");
    assert.deepEqual(silences(recording, cut, healed, 1), [2, 3, 4, 5], "p1 hears nobody");

    heldUp(recording, oneWay, healedAgain, ({ site }) => site === "fnal");
    assert.deepEqual(silences(recording, oneWay, healedAgain, 5), [1], "p5 does not hear p1");
    assert.deepEqual(silences(recording, oneWay, healedAgain, 1), [], "p1 hears all others");

    // The least is what no jitter and no busy machine can hide.
    const before = shortest(recording, 0, cut.at, "fnal");
    const after = shortest(recording, farther.at + SOON, away.at, "fnal");
    assert.ok(Math.abs(after - before - (200 - 77.06)) < 8, `${before} ms, then ${after} ms`);
    assert.ok(shortest(recording, farther.at + SOON, away.at, "slac") < 40, "others are where they were");

    // Long enough for the client to look for another server: there is none that it can reach.
    heldUp(recording, away, back, ({ site }) => site === "fnal");
    soundInTheEnd(recording);
  },
};

/** Processes and machines suffer, and so does the network. */
export const OF_PROCESSES: Story = {
  name: "paused, unplugged, killed, restarted, and two that are cut off from each other",
  flags: {
    ...FLAGS,
    // Whoever has to be elected, it is not p4, which is cut off from its leader.
    oracle: "preference",
    preference: "p5,p2,p3,p1,p4",
    duration: "12s",
    fault: [
      "1500ms pause site:slac",
      "3s resume site:slac",
      "4s crash-machine site:fnal",
      "5s crash p3",
      "8s restart crashed",
      "9500ms cut p4 leader",
      "11s heal",
    ],
  },
  check: (recording) => {
    const [paused, resumed, unplugged, killed, restarted, cut, healed] = marksOf(recording, [
      [2, 3],
      [2, 3],
      [1],
      [3],
      [1, 3],
      [4],
      ALL,
    ]);
    heldUp(recording, paused, resumed, ({ site }) => site === "slac");
    const near = shortest(recording, 0, paused.at, "caltech");
    assert.ok(near < 40, `slac is near, and makes the quorum: not after ${near} ms`);
    const alone = shortest(recording, paused.at + SOON, resumed.at - SOON, "caltech");
    assert.ok(alone > 70, `without slac every write waits for fnal, not ${alone} ms`);

    assert.ok(silences(recording, unplugged, killed, 5).includes(1), "a machine's death is a silence");
    const told = eventsOf(recording, killed, restarted, 5).find(
      ({ event }) => event.kind === "down" && event.server === 3,
    );
    assert.ok(told?.event.kind === "down" && !told.event.silent, "of a process's death its kernel tells");
    wentOn(recording, unplugged, 1, [2, 3]);
    wentOn(recording, killed, 3, [2]);

    heldUp(recording, cut, healed, ({ client }) => client === 4);
    soundInTheEnd(recording);
  },
};

/** Disks and clocks suffer, and whoever ends of it comes back. */
const OF_DISKS: Story = {
  name: "disks slow, full, failing, torn and wiped, and clocks that are wrong",
  flags: {
    ...FLAGS,
    duration: "18s",
    fault: [
      "1500ms disk-slow p1 300ms",
      "1500ms disk-slow site:slac 300ms",
      "3500ms disk-mended p1",
      "3500ms disk-mended site:slac",
      "5s disk-full p3",
      "6500ms disk-mended p3",
      "6700ms restart crashed",
      "8500ms disk-torn p1",
      "10s disk-mended p1",
      "10200ms restart crashed",
      "11500ms disk-failing p3",
      "12500ms disk-mended p3",
      "12700ms restart p3",
      "14s disk-wiped p2",
      "15s restart p2",
      "16s clock-jump p4 -5s",
      "16s clock-leap p4 2s",
    ],
  },
  check: (recording) => {
    const [slow, , , mended, full, , back, torn, , backAgain, failing, , third, wiped, empty] = marksOf(
      recording,
      [[1], [2, 3], [1], [2, 3], [3], [3], [3], [1], [1], [1], [3], [3], [3], [2], [2], [4], [4]],
    );
    // p4 and p5 are no quorum: every write waits for a slow disk, and none before or after.
    assert.ok(shortest(recording, 0, slow.at, "caltech") < 100);
    const late = shortest(recording, slow.at + SOON, mended.at - SOON, "caltech");
    assert.ok(late >= 300, `${late} ms`);
    assert.ok(shortest(recording, mended.at + SOON, full.at, "caltech") < 100);

    const ends = [
      [full, back, 3],
      [torn, backAgain, 1],
      [failing, third, 3],
      [wiped, empty, 2],
    ] as const;
    for (const [from, to, server] of ends) {
      const told = eventsOf(recording, from, to, 5).some(
        ({ event }) => event.kind === "down" && event.server === server,
      );
      assert.ok(told, `of ${from.fault} p${server} ends, and p5 is told`);
      wentOn(recording, from, server, ALL);
    }
    soundInTheEnd(recording);
  },
};

/** Nothing of it ends before the load does: what is read back in the end is what healing leaves. */
export const TO_THE_END: Story = {
  name: "cut off, paused and farther away to the very end",
  flags: {
    ...FLAGS,
    duration: "8s",
    fault: ["1500ms link caltech fnal 200ms", "2s cut site:fnal", "5s pause p2"],
  },
  check: (recording) => {
    const [, cut] = marksOf(recording, [[4, 5, 1], [1], [2]]);
    assert.ok(recording.lifted);
    assert.ok(
      recording.operations.some(
        ({ site, outcome, intended }) => site === "fnal" && outcome === "unknown" && intended > cut.at,
      ),
      "what fnal wrote was never answered",
    );
    soundInTheEnd(recording);
  },
};

export const STORIES: readonly Story[] = [OF_LINKS, OF_PROCESSES, OF_DISKS];

const ALL = [1, 2, 3, 4, 5];
/** Microseconds until whatever was under way has come, and silence is noticed. */
const SOON = 500e3;
/** Of a fault that is carried out packet way by packet way. */
const CARRIED_OUT = 50e3;

/** Every fault was carried out when it was due, and hit these. */
function marksOf<const Hit extends readonly (readonly number[])[]>(
  { marks, plan }: ServiceRecording,
  hit: Hit,
): { readonly [Fault in keyof Hit]: Mark } {
  assert.deepEqual(
    marks.map(({ servers }) => servers),
    hit,
  );
  for (const [index, { at }] of marks.entries()) {
    const due = plan.faults[index]?.at ?? assert.fail("more than was planned");
    assert.ok(at >= due && at < due + SOON, `due at ${due}, done at ${at}`);
  }
  return marks as unknown as { readonly [Fault in keyof Hit]: Mark };
}

/**
 * Whatever these wanted to write between two faults was acknowledged after the second one or never, and what
 * all others wanted was acknowledged before it, or nearly all.
 */
function heldUp(
  { operations }: ServiceRecording,
  from: Mark,
  to: Mark,
  isHit: (operation: WriteOperation) => boolean,
): void {
  const meanwhile = operations.filter(
    ({ intended }) => intended > from.at + CARRIED_OUT && intended < to.at - SOON,
  );
  const [hit, others] = [meanwhile.filter(isHit), meanwhile.filter((operation) => !isHit(operation))];
  assert.ok(hit.length > 10 && others.length > 10, `${hit.length} and ${others.length} writes`);
  const served = ({ outcome, completed }: WriteOperation): boolean => outcome === "ok" && completed < to.at;
  assert.deepEqual(hit.filter(served), [], `${from.fault} holds them up`);
  const share = others.filter(served).length / others.length;
  assert.ok(share > 0.95, `${from.fault}: of all others ${(100 * share).toFixed(0)} % are served`);
}

/** It may be the nearest server of another site: the client went on there, and was served. */
function wentOn({ operations }: ServiceRecording, from: Mark, of: number, to: readonly number[]): void {
  const later = operations.filter(
    ({ client, server, intended }) => client === of && server !== of && intended > from.at,
  );
  assert.ok(
    later.some(({ outcome }) => outcome === "ok"),
    `client ${of} is served elsewhere`,
  );
  assert.deepEqual(
    [...new Set(later.map(({ server }) => server))].filter((server) => !to.includes(server)),
    [],
  );
}

function eventsOf({ events }: ServiceRecording, from: Mark, to: Mark, of: number): readonly RecordedEvent[] {
  return events.filter(({ at, server }) => server === of && at > from.at && at < to.at);
}

/** Whom a server missed between two faults. */
function silences(...where: Parameters<typeof eventsOf>): readonly number[] {
  const missed = eventsOf(...where).flatMap(({ event }) =>
    event.kind === "down" && event.silent ? [event.server] : [],
  );
  return [...new Set<number>(missed)].sort((a, b) => a - b);
}

/** The shortest acknowledged write of a site's clients, in milliseconds. */
function shortest({ operations }: ServiceRecording, from: number, to: number, of: string): number {
  const own = operations.filter(
    ({ site, intended, outcome }) => site === of && outcome === "ok" && intended >= from && intended < to,
  );
  assert.ok(own.length > 0, `nothing of ${of} was acknowledged`);
  return Math.min(...own.map(latencyMs));
}

/** p5 led all the time, all five are there and equal, and nothing acknowledged was lost. */
function soundInTheEnd(recording: ServiceRecording): void {
  const { measures, verdict } = conclude(recording);
  assert.deepEqual(
    measures.reigns.map(({ leader }) => leader),
    [5],
  );
  assert.deepEqual(
    recording.finals.map(({ server }) => server),
    ALL,
  );
  const wrong = verdict.findings.filter(
    ({ property, judgement }) => /lost|order|equal/.test(property) && judgement !== "valid",
  );
  assert.deepEqual(wrong, []);
}
