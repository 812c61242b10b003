import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "#node/core/time.ts";
import { type Bereaved, keptSessions, type Spell } from "./bereavement.ts";

const at = (ms: number) => instant(ms * 1000);
const lost = (ms: number, lateMs: number | null = null): Bereaved => ({
  name: "s1",
  how: "its session expired",
  at: at(ms),
  heard: at(ms - 2500),
  lateAt: lateMs === null ? null : at(lateMs),
});
const spell = (from: number, until: number, ...kinds: Spell["kinds"]): Spell => ({
  kinds,
  from: at(from),
  until: at(until),
});
const judged = (bereaved: readonly Bereaved[], ...spells: readonly Spell[]) =>
  keptSessions(
    [
      { moves: 3, bereaved },
      { moves: 4, bereaved: [] },
    ],
    spells,
    4000,
  );

test("who lost nothing has proved as much as it moved", () => {
  const { judgement, operations } = judged([]);
  assert.deepEqual([judgement, operations], ["valid", 7]);
});

test("a session that is lost when a quorum was, or a server crashed, is held against the servers", () => {
  const { judgement, reasons } = judged([lost(20_000)], spell(12_000, 19_000, "majority partition", "crash"));
  assert.equal(judgement, "invalid");
  assert.deepEqual(reasons, ["s1: its session expired at 20.00 s; it was answered 2.50 s before"]);
});

test("after a pause or a clock's leap it is excused for two timeouts, and not for longer", () => {
  for (const kind of ["pause", "monotonic clock leap", "lossy links"] as const) {
    assert.equal(judged([lost(20_000)], spell(1000, 12_001, "crash", kind)).judgement, "valid");
    assert.equal(judged([lost(20_000)], spell(1000, 12_000, "crash", kind)).judgement, "invalid");
    assert.equal(judged([lost(20_000)], spell(20_000, 21_000, kind)).judgement, "invalid", "it came later");
  }
});

test("who was held up itself blames nobody", () => {
  assert.equal(judged([lost(20_000, 12_001)]).judgement, "valid");
  assert.equal(judged([lost(20_000, 12_000)]).judgement, "invalid");
});

test("nobody moved: nothing was proved", () => {
  assert.notEqual(keptSessions([{ moves: 0, bereaved: [] }], [], 4000).judgement, "valid");
});
