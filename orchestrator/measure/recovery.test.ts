import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { serverId } from "#node/core/identity.ts";
import { epoch, zxid } from "#node/core/zxid.ts";
import type { ServiceRecording } from "../recording/recording.ts";
import type { RecordedEvent } from "../system/system.ts";
import { expectations } from "./expectations.ts";
import { FAULT, madeRecording } from "../testing/made-recording.ts";
import { measure } from "./measures.ts";
import type { Recovery } from "./recovery.ts";
import { conclude } from "./conclude.ts";
import { withService } from "../plan/plan.ts";

const recording = madeRecording();

const recoveryWith = (events: readonly RecordedEvent[]): Recovery =>
  measure({ ...recording, events }).recovery ?? assert.fail();

const without = (kind: RecordedEvent["event"]["kind"]): readonly RecordedEvent[] =>
  recording.events.filter(({ event }) => event.kind !== kind);

const sum = (stages: Readonly<Record<string, number>>): number =>
  Object.values(stages).reduce((total, ms) => total + ms, 0);

/** What a run is expected to tell of its outage, and whether it did. */
const accounted = (change: Partial<ServiceRecording>): string | undefined => {
  const changed = { ...recording, ...change };
  const found = expectations(changed, measure(changed)).find(({ what }) => /account/.test(what));
  return found === undefined ? undefined : `${found.met ? "met" : "not met"}: ${found.found}`;
};

suite("where the recovery time went", () => {
  test("is told by the servers, and set beside what clients saw", () => {
    const recovery = recoveryWith(recording.events);
    assert.equal(recovery.leader, 3);
    assert.deepEqual(recovery.stages, {
      noticed: 10,
      elected: 140,
      discovered: 40,
      pulled: 20,
      synchronized: 90,
      // p3 commits after 18 ms; p1, which answers first, hears of it a millisecond later.
      "first commit": 19,
    });
    assert.equal(recovery.totalMs, measure(recording).outage?.ms);
    assert.equal(recovery.unaccountedMs, 1, "the way from p1 to its client");
    assert.equal(recovery.paperMs, 170);
    assert.equal(recovery.pulledBytes, 2048);
    assert.deepEqual(recovery.followers, [{ server: 1, how: "snapshot", bytes: 5_000_000, doneMs: 900 }]);
  });

  test("is told of every server", () => {
    const { servers } = recoveryWith(recording.events);
    assert.deepEqual(
      servers.map(({ server, committedAt }) => [server, committedAt]),
      [
        [1, FAULT + 319_000],
        [3, FAULT + 318_000],
      ],
    );
    const none = { discovered: 0, pulled: 0, synchronized: 0 };
    assert.deepEqual(servers[0]?.stages, {
      ...none,
      noticed: 12,
      elected: 143,
      joined: 150,
      "first commit": 14,
    });
  });

  for (const [kind, missing] of [
    ["committed", 20],
    ["pulled", 111],
    ["discovered", 41],
    ["looking", 61],
  ] as const) {
    test(`what no event accounts for is in no stage: nobody tells "${kind}"`, () => {
      const { stages, unaccountedMs, totalMs } = recoveryWith(without(kind));
      assert.equal(unaccountedMs, missing);
      assert.equal(sum(stages) + unaccountedMs, totalMs);
    });
  }

  test("a server that served between two elections was at nothing that recovers", () => {
    const served = {
      at: FAULT + 70e3,
      server: 3,
      event: { kind: "serving", leader: serverId(4), epoch: epoch(1) },
    };
    const { unaccountedMs } = recoveryWith([...recording.events, served as RecordedEvent]);
    assert.equal(unaccountedMs, 61, "from 70 ms on, until it looked again at 130");
  });

  test("who looked for a leader already when the fault came had nothing to notice", () => {
    const early = { at: FAULT - 1e6, server: 3, event: { kind: "looking", reason: "it has just started" } };
    const events = [early as RecordedEvent, ...without("looking")];
    const { stages, unaccountedMs } = recoveryWith(events);
    assert.deepEqual([stages.noticed, stages.elected, unaccountedMs], [0, 150, 1]);
  });
});

test("who served, or was established, before the fault had something to notice", () => {
  for (const event of [
    { kind: "established", epoch: epoch(1), initial: zxid(epoch(0), 0) },
    { kind: "serving", leader: serverId(5), epoch: epoch(1) },
  ] as const) {
    const looked = { at: FAULT - 2e6, server: 3, event: { kind: "looking", reason: "it has just started" } };
    const served = { at: FAULT - 1e6, server: 3, event };
    const { servers } = recoveryWith([looked as RecordedEvent, served, ...recording.events]);
    const [, leader] = servers;
    assert.deepEqual(
      [leader?.server, leader?.stages.noticed, leader?.stages.elected],
      [3, 10, 140],
      event.kind,
    );
  }
});

test("a leader that is established only after the service should have settled still is who led after", () => {
  const [established, served] = [FAULT + 2.9e6, FAULT + 3e6];
  const events = recording.events.map((told) =>
    told.event.kind === "established" && told.server === 3 ? { ...told, at: established } : told,
  );
  const operations = recording.operations.filter(({ completed }) => completed < FAULT || completed > served);
  const { leaders, outage } = measure({ ...recording, events, operations });
  assert.ok(outage !== null && outage.ms > 2900);
  assert.deepEqual(leaders, { before: 5, after: 3 });
});

suite("a recovery is expected to be accounted for", () => {
  test("which it is when the servers tell where 95 % of the outage went", () => {
    assert.equal(accounted({}), "met: none accounts for 0.3 % of the 320 ms");
  });

  test("and not when they do not, which says nothing against the run", () => {
    const events = without("committed");
    assert.equal(accounted({ events }), "not met: none accounts for 6.3 % of the 320 ms");
    assert.equal(conclude({ ...recording, events }).verdict.judgement, "valid");
    assert.equal(accounted({ events: [] }), "not met: none accounts for 100.0 % of the 320 ms");
  });

  test("also where servers come back before the leader dies", () => {
    const back = { at: FAULT - 1e6, fault: "restart crashed", servers: [1] };
    assert.match(accounted({ marks: [back, ...recording.marks] }) ?? "", /^met/);
  });

  test("nothing is expected where nobody led that died, nor of a system that does not tell", () => {
    assert.equal(accounted({ marks: [{ at: FAULT, fault: "crash p1", servers: [1] }] }), undefined);
    assert.equal(accounted({ plan: withService(recording.plan, { system: "zookeeper" }) }), undefined);
  });
});
