import assert from "node:assert/strict";
import test from "node:test";
import { planTrial } from "./flags.ts";
import { AGAIN, type Arm, type Cell, cellsOf, systemArm } from "./matrix.ts";
import { type ServicePlan, withService } from "./plan.ts";

const plan = planTrial({ seed: "7" }, "sim");
const arms: readonly Arm[] = [
  { name: "history", preference: [], module: null },
  { name: "latency", preference: [], module: null },
  { name: "mine", preference: [], module: "/opt/mine.ts" },
  systemArm("zookeeper"),
];
const cells = cellsOf(plan, arms, 3);

test("every arm is run as often, and the first once more with other seeds", () => {
  const count = Map.groupBy(cells, ({ arm }) => arm);
  assert.deepEqual([...count.keys()].sort(), ["history", "history again", "latency", "mine", "zookeeper"]);
  assert.ok([...count.values()].every((of) => of.length === 3));
  assert.equal(new Set(cells.map(({ id }) => id)).size, 15);
});

test("runs of one repetition share their seed, those of the repeated arm share none", () => {
  const seeds = (arm: string) =>
    cells
      .filter((cell) => cell.arm === arm)
      .sort((a, b) => a.repetition - b.repetition)
      .map((cell) => cell.plan.seed);
  assert.deepEqual(seeds("history"), [7, 8, 9]);
  assert.deepEqual(seeds("latency"), seeds("history"));
  assert.ok(seeds("history again").every((seed) => !seeds("history").includes(seed)));
});

test("an arm is an oracle, or another system", () => {
  const of = (arm: string) => cells.find((cell) => cell.arm === arm)?.plan.subject;
  assert.equal(of("latency")?.oracle.name, "latency");
  assert.equal(of("mine")?.oracle.module, "/opt/mine.ts");
  assert.equal(of("mine")?.system, "polebench");
  assert.equal(of("zookeeper")?.system, "zookeeper");
  assert.equal(of("history again")?.oracle.name, "history");
});

test("no oracle's name stands above runs of another system, whatever system was asked for", () => {
  const system = (cell: Cell) => `${cell.arm.replace(` ${AGAIN}`, "")}: ${cell.plan.subject.system}`;
  const asked: ServicePlan = withService(plan, { system: "zookeeper" });
  assert.deepEqual([...new Set(cellsOf(asked, arms, 3).map(system))].sort(), [
    "history: polebench",
    "latency: polebench",
    "mine: polebench",
    "zookeeper: zookeeper",
  ]);
});

test("the order is mixed, and the same for the same seed", () => {
  const order = cells.map(({ id }) => id);
  assert.deepEqual(
    cellsOf(plan, arms, 3).map(({ id }) => id),
    order,
  );
  assert.notDeepEqual(order, order.toSorted());
  assert.notDeepEqual(
    cellsOf({ ...plan, seed: 8 }, arms, 3).map(({ id }) => id),
    order,
  );
});

test("rounds follow each other, each with one run of every arm, in an order of its own", () => {
  const many = cellsOf(plan, arms, 4);
  const rounds = Array.from({ length: 4 }, (_, round) => many.slice(5 * round, 5 * (round + 1)));
  for (const [round, own] of rounds.entries()) {
    assert.ok(own.every(({ repetition }) => repetition === round));
    assert.equal(new Set(own.map(({ arm }) => arm)).size, 5);
  }
  assert.ok(new Set(rounds.map((own) => own.map(({ arm }) => arm).join())).size > 1);
});

test("one repetition leaves nothing to compare with itself", () => {
  assert.equal(cellsOf(plan, arms, 1).length, 4);
});
