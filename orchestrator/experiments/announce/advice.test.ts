// lane: works, 4 s
import assert from "node:assert/strict";
import { test } from "node:test";
import { milliseconds, seconds } from "#node/core/time.ts";
import { consequences, type Need, timersFor } from "./advice.ts";
import { agrees } from "./sample.ts";

const NEED: Need = {
  members: 20,
  loss: 0.05,
  kind: "independent",
  delay: milliseconds(40),
  announce: null,
  falseAlarms: 0.001,
};

test("a silence of ten ways, no repetition within it, and T_L between two heartbeats", () => {
  const { announce, suppress, listen } = timersFor(NEED);
  assert.deepEqual([announce, suppress], [milliseconds(500), milliseconds(400)]);
  assert.ok(announce >= suppress + NEED.delay);
  assert.equal((listen / announce) % 1, 0.5);
});

test("the more is lost and the fewer false alarms, the longer T_L and the more Byes", () => {
  const usual = timersFor(NEED);
  const worse = timersFor({ ...NEED, loss: 0.4 });
  assert.ok(worse.listen > usual.listen && worse.bye > usual.bye);
  assert.ok(timersFor({ ...NEED, falseAlarms: 1e-6 }).listen > usual.listen);
  assert.equal(timersFor({ ...NEED, loss: 0 }).bye, 1);
});

test("a T_A that somebody has decided stays, and T_S fits into it", () => {
  const { announce, suppress } = timersFor({ ...NEED, announce: milliseconds(200) });
  assert.deepEqual([announce, suppress], [milliseconds(200), milliseconds(160)]);
  assert.equal(timersFor({ ...NEED, announce: seconds(2) }).suppress, milliseconds(400));
});

test("groups in virtual time do what the formulas say, and false alarms are as rare as asked", () => {
  const all = consequences(NEED, timersFor(NEED), 200);
  const both = all.filter(({ formula, virtual }) => formula !== null && virtual !== null);
  assert.ok(both.length >= 3);
  for (const { what, formula, virtual, unit } of both) {
    if (virtual === null || formula === null) continue;
    if (unit === "share") assert.ok(virtual.low <= NEED.falseAlarms, what);
    else assert.ok(agrees(virtual, formula), `${what}: ${virtual.mean} +- ${virtual.error}, not ${formula}`);
  }
  const [silent, said] = [all[2]?.virtual?.mean ?? 0, all[3]?.virtual?.mean ?? 0];
  assert.ok(said < silent / 2, `with Bye ${said} s, without ${silent} s`);
});
