import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { conclude } from "../measure/conclude.ts";
import { leaderAt } from "../measure/recovery.ts";
import { FAULT, madeRecording } from "../testing/made-recording.ts";
import { recordsOf } from "./from-recording.ts";
import type { StreamRecord } from "./record.ts";
import { painted } from "./scene/spans.ts";
import { Scene } from "./scene/scene.ts";
import { guideOf } from "./scene/guide.ts";
import { stagesOf } from "./scene/stages.ts";

const recording = madeRecording();
const { measures } = conclude(recording);
const records = recordsOf(recording);
const SLAC = { a: "slac", b: "fnal", ms: 53.4 };
const END = Number.POSITIVE_INFINITY;

suite("the stream of a run that is over", () => {
  test("begins with the plan, ends with what came of it, and is in order of time between", () => {
    assert.equal(records[0]?.kind, "plan");
    assert.equal(records.at(-1)?.kind, "end");
    const times = records.flatMap((record) => ("at" in record ? [record.at] : []));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(times.length > 100);
  });

  test("adds up to every request that was planned, and to the mean that was measured", () => {
    const { total, sites } = Scene.of(records, END);
    const { ok, failed, unknown } = total;
    assert.deepEqual({ ok, failed, unknown }, measures.outcomes);
    const acknowledged = recording.operations.filter(({ outcome }) => outcome === "ok");
    const sum = acknowledged.reduce((all, { intended, completed }) => all + (completed - intended) / 1e3, 0);
    assert.ok(Math.abs(total.sumMs - sum) < 1e-6 * sum);
    assert.equal(
      [...sites.values()].reduce((all, site) => all + site.ok, 0),
      total.ok,
    );
  });

  test("says of a crash what physics allows each server that is left", () => {
    const struck = records.find((record) => record.kind === "fault");
    assert.ok(struck?.kind === "fault");
    assert.deepEqual(
      struck.floors.map(({ leader }) => leader),
      [1, 2, 3, 4],
    );
    assert.ok(
      struck.floors.every(({ establishedMs, servedMs }) => establishedMs > 0 && servedMs > establishedMs),
    );
  });
});

suite("the scene at a moment", () => {
  for (const at of [0, FAULT - 1, FAULT + 299_999, FAULT + 300_000, END]) {
    test(`${at} us after the load began: who leads is who had established the last epoch`, () => {
      assert.equal(Scene.of(records, at).leader, leaderAt(measures.reigns, at));
    });
  }

  test("a server that was crashed is down, those that have no leader look for one", () => {
    const { servers } = Scene.of(records, FAULT + 20_000);
    assert.equal(servers.get(5)?.role, "down");
    assert.deepEqual([servers.get(1)?.role, servers.get(3)?.role], ["looking", "looking"]);
    const later = Scene.of(records, FAULT + 310_000).servers;
    assert.deepEqual([later.get(1)?.role, later.get(1)?.leader], ["following", 3]);
    assert.deepEqual([later.get(3)?.role, later.get(3)?.epoch], ["leading", 2]);
  });

  test("the stopwatch is the outage that clients measured, of all and of each site", () => {
    const before = Scene.of(records, FAULT + 250_000).outage;
    assert.equal(before?.until, null, "it runs");
    const { outage } = Scene.of(records, END);
    assert.ok(outage !== null && outage.until !== null && measures.outage !== null);
    assert.equal((outage.until - outage.from) / 1e3, measures.outage.ms);
    assert.equal(outage.by, measures.outage.server);
    const sites = [...outage.sites].map(([site, at]) => [site, (at - FAULT) / 1e3]);
    assert.deepEqual(Object.fromEntries(sites), measures.outage.sites);
  });

  test("a write that was under way and is answered in the old epoch ends no outage", () => {
    const late = { kind: "served", at: FAULT + 5_000, site: "slac", server: 1, epoch: 1 } as StreamRecord;
    const { outage } = Scene.of([...records, late], END);
    assert.equal(outage?.until, Scene.of(records, END).outage?.until);
    assert.notEqual(outage?.until, late.kind === "served" ? late.at : null);
  });

  test("the stopwatch also runs while one server gives its place to another, and not when it has it", () => {
    const moved = (to: number): StreamRecord => ({
      kind: "fault",
      at: FAULT - 1_000,
      fault: `transfer p${to}`,
      servers: [to],
      byHand: true,
      floors: [],
    });
    assert.equal(Scene.of([...records, moved(2)], FAULT - 1_000).outage?.from, FAULT - 1_000);
    assert.equal(Scene.of([...records, moved(5)], FAULT - 1_000).outage, null);
  });

  test("a distance that a fault changes is asked for from then on, and what was measured is past", () => {
    const link = {
      kind: "fault",
      at: FAULT,
      fault: "link slac fnal 200ms",
      servers: [],
      byHand: true,
      floors: [],
    };
    const measured = { kind: "certified", when: "idle", verdict: "valid", roundTrips: [SLAC] };
    const all = [...records, measured, link] as StreamRecord[];
    const [before, later] = [Scene.of(all.slice(0, -1), END), Scene.of(all, END)];
    assert.deepEqual([before.asked.get("fnal slac"), before.measured.get("fnal slac")], [53.26, 53.4]);
    assert.deepEqual([later.asked.get("fnal slac"), later.measured.get("fnal slac")], [200, undefined]);
  });

  test("candidates are those of the last round, with the winner of it", () => {
    const { standing, elected } = Scene.of(records, END);
    assert.deepEqual(
      standing.map(({ server, score }) => [server, ...score]),
      [
        [3, 21],
        [4, 39],
      ],
    );
    assert.equal(elected?.leader, 3);
  });

  test("stages are those of who leads in the end, and the last is the clients'", () => {
    const { outage } = Scene.of(records, END);
    assert.ok(outage !== null);
    const told = stagesOf(outage).map(({ name, server, ms }) => [name, server, ms]);
    assert.deepEqual(told, [
      ["first to notice", 3, 10],
      ["elected", 3, 150],
      ["discovered", 3, 190],
      ["pulled", 3, 210],
      ["established", 3, 300],
      ["first commit", 3, 318],
      ["first write served", 1, measures.outage?.ms],
    ]);
  });
});

suite("a run at a glance", () => {
  const glance = painted(records);

  test("leaves no moment of a server unpainted", () => {
    for (const id of [1, 2, 3, 4, 5]) {
      const own = glance.roles.filter(({ server }) => server === id);
      assert.equal(own.at(-1)?.to, glance.to);
      for (const [index, { to }] of own.slice(0, -1).entries()) assert.equal(own[index + 1]?.from, to);
    }
  });

  test("has the outage from the fault to the first write served, and steps that stop at both", () => {
    const [outage] = glance.outages;
    assert.equal(outage?.from, FAULT);
    assert.equal(outage.to, FAULT + 1e3 * (measures.outage?.ms ?? 0));
    assert.ok(glance.stops.includes(FAULT) && glance.stops.includes(outage.to));
  });

  test("can be told to a newcomer in a few moments, in order", () => {
    const steps = guideOf(records);
    assert.equal(steps.length, 6);
    const times = steps.map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.match(steps[1]?.title ?? "", /^p5 is lost$/);
    assert.match(steps.at(-1)?.text ?? "", /answered, by p1/);
  });
});
