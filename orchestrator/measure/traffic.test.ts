import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { PURPOSES, type Purpose, type Volumes } from "#node/telemetry/traffic.ts";
import type { RecordedEvent } from "../system/system.ts";
import type { Outage } from "./outage.ts";
import { traffic, type TrafficRow } from "./traffic.ts";

const SPANS = {
  before: { from: 1e6, to: 9e6 },
  during: { from: 9e6, to: 12e6 },
  after: { from: 12e6, to: 20e6 },
};
const FAULT = 10e6;
const ENDED: Outage = { ms: 100, sites: {}, endedAt: FAULT + 100e3, epoch: 2, server: 1 };

/** So many messages of 100 bytes each. */
const sent = (counts: Partial<Record<Purpose, number>>): Volumes =>
  Object.fromEntries(
    PURPOSES.map((purpose) => [
      purpose,
      { messages: counts[purpose] ?? 0, bytes: 100 * (counts[purpose] ?? 0) },
    ]),
  ) as Volumes;

const told = (at: number, server: number, counts: Partial<Record<Purpose, number>>): RecordedEvent => ({
  at,
  server,
  event: { kind: "traffic", sent: sent(counts) },
});

const messages = (rows: readonly TrafficRow[], of: TrafficRow["of"]): number | undefined =>
  rows.find((row) => row.of === of)?.all.messages;

suite("what servers said to each other", () => {
  test("is told per second in the steady states", () => {
    const events = [2, 3, 8].flatMap((second) =>
      [1, 2].map((server) => told(second * 1e6, server, { heartbeat: 10 * second, broadcast: 90 * second })),
    );
    const [before, ...more] = traffic(events, SPANS, FAULT, null);
    assert.deepEqual(before?.all, { messages: 200, bytes: 20_000 });
    assert.deepEqual(before?.servers["2"], { messages: 100, bytes: 10_000 });
    assert.deepEqual(more, []);
  });

  const story: readonly RecordedEvent[] = [
    told(FAULT - 900e3, 1, { heartbeat: 100, broadcast: 1000 }),
    { at: FAULT + 5e3, server: 1, event: { kind: "looking", reason: "p2 is gone" } },
    told(FAULT + 6e3, 1, { heartbeat: 110, broadcast: 1900 }),
    told(FAULT + 60e3, 1, { heartbeat: 112, broadcast: 1900, election: 8, discovery: 3 }),
    told(FAULT + 105e3, 1, {
      heartbeat: 114,
      broadcast: 1950,
      election: 8,
      discovery: 6,
      synchronization: 4,
    }),
    told(FAULT + 1e6, 1, { heartbeat: 124, broadcast: 2950, election: 9, discovery: 6, synchronization: 7 }),
    told(FAULT + 5e6, 1, { heartbeat: 164, broadcast: 6950, election: 9, discovery: 6, synchronization: 7 }),
  ];

  test("belongs to the stage of the recovery that it served, whenever it was sent", () => {
    const rows = traffic(story, SPANS, FAULT, ENDED);
    const stages = ["elected", "discovered", "pulled", "synchronized"] as const;
    assert.deepEqual(
      stages.map((stage) => messages(rows, stage)),
      [9, 6, 0, 7],
    );
  });

  test("counts what clients wrote from when the loss was noticed until the first write", () => {
    const rows = traffic(story, SPANS, FAULT, ENDED);
    assert.equal(messages(rows, "first commit"), 50);
    assert.equal(messages(rows, "heartbeats meanwhile"), 4);
  });

  test("counts from the last telling before the fault to the last before all was settled", () => {
    const at = (...moments: readonly (readonly [at: number, election: number])[]) =>
      messages(
        traffic(
          [...moments.map(([moment, election]) => told(moment, 1, { election })), told(FAULT - 5e6, 2, {})],
          SPANS,
          FAULT,
          ENDED,
        ),
        "elected",
      );
    const settled = SPANS.after.from;
    assert.equal(at([FAULT - 1, 3], [FAULT, 10]), 7, "told at the very moment");
    assert.equal(at([FAULT - 2, 1], [FAULT - 1, 3], [settled, 10], [settled + 1, 50]), 7);
    assert.equal(at([FAULT - 1, 3]), undefined, "nothing was told since");
    assert.equal(at([FAULT + 5, 4]), 4, "nothing was told before");
    const late = { ...ENDED, endedAt: settled + 1e6 };
    const rows = traffic(
      [told(FAULT - 1, 1, { election: 1 }), told(settled + 1.01e6, 1, { election: 9 })],
      SPANS,
      FAULT,
      late,
    );
    assert.equal(messages(rows, "elected"), 8, "an outage may last longer than it should");
  });

  test("heartbeats and writes are counted from the first look for a leader in the outage", () => {
    const looking = (at: number): RecordedEvent => ({
      at,
      server: 1,
      event: { kind: "looking", reason: "p2 is gone" },
    });
    const tellings = [1, 2, 3, 4, 5].map((place) =>
      told(FAULT + 20e3 * place, 1, { heartbeat: place * place, broadcast: 10 * place * place }),
    );
    const [first, second, outside] = [looking(FAULT + 20e3), looking(FAULT + 70e3), looking(FAULT - 5)];
    const rows = traffic([outside, first, ...tellings, second], SPANS, FAULT, ENDED);
    assert.equal(messages(rows, "heartbeats meanwhile"), 25 - 1);
    assert.equal(messages(rows, "first commit"), 10 * (25 - 1));
    const never = traffic([outside, ...tellings, looking(ENDED.endedAt + 1)], SPANS, FAULT, ENDED);
    assert.equal(messages(never, "first commit"), undefined);
  });

  test("a steady state is told from its first telling to its last, and one alone is no rate", () => {
    const { from, to } = SPANS.before;
    const events = [
      told(from - 1, 1, { heartbeat: 5 }),
      told(from, 1, { heartbeat: 10 }),
      told(to, 1, { heartbeat: 90 }),
      told(to + 1, 1, { heartbeat: 500 }),
    ];
    assert.equal(messages(traffic(events, SPANS, FAULT, null), "before"), 10);
    assert.deepEqual(traffic([told(from + 1, 1, { heartbeat: 7 })], SPANS, FAULT, null), []);
  });

  test("goes on where it was when a server starts again", () => {
    const events = [
      told(1e6, 1, { heartbeat: 50 }),
      told(2e6, 1, { heartbeat: 60 }),
      told(3e6, 1, { heartbeat: 10 }),
      told(4e6, 1, { heartbeat: 20 }),
      told(5e6, 1, { heartbeat: 30 }),
    ];
    assert.equal(traffic(events, SPANS, FAULT, null)[0]?.all.messages, 10);
  });
});
