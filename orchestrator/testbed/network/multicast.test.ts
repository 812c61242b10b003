import assert from "node:assert/strict";
import test, { suite } from "node:test";
import { milliseconds } from "#node/core/time.ts";
import type { LinkShape, MulticastLoss } from "../../topology/topology.ts";
import type { Machine } from "../infrastructure/infrastructure.ts";
import { bothLose, judgeMulticast, type MulticastJudged } from "./multicast.ts";
import { NEUTRAL } from "./network.ts";

const MACHINES: readonly Machine[] = [0, 1, 2, 3, 4].map((index) => ({
  name: `p${index + 1}`,
  site: "a",
  index,
  address: `10.77.0.${index + 1}`,
}));
const [MESSAGES, LOSS] = [1000, 0.1];
const lossy = (): LinkShape => ({ ...NEUTRAL, delay: milliseconds(1), loss: LOSS });

/** Of message `n` the machines that miss it, of those that p1 sends to. */
const judged = (missed: (n: number) => readonly number[], loss: MulticastLoss): MulticastJudged =>
  judgeMulticast(
    [{ from: 0, missed: Array.from({ length: MESSAGES }, (_, n) => missed(n)) }],
    MACHINES,
    lossy,
    loss,
  );

const near = (found: number, wanted: number): void => {
  assert.ok(Math.abs(found - wanted) < 1e-12, `${found}`);
};

/** All miss every tenth. */
const together = (n: number): readonly number[] => (n % 10 === 0 ? [1, 2, 3, 4] : []);
/** Each misses a tenth, and two meet in every hundredth: the digits of a number are independent. */
const apart = (n: number): readonly number[] =>
  [n % 10, Math.floor(n / 10) % 10, Math.floor(n / 100)].flatMap((digit, index) =>
    digit === 0 ? [index + 1] : [],
  );

suite("what is lost of messages to all", () => {
  test("for all at once where it is shared: as often to two as to one", () => {
    const { messages, lost, together: both, faults } = judged(together, "shared");
    assert.equal(messages, MESSAGES);
    near(lost.achieved, 0.1);
    near(both?.achieved ?? 0, 0.1);
    near(both?.asked ?? 0, 0.1);
    assert.deepEqual([lost.asked, faults], [0.1, []]);
  });

  test("a shared loss where each was to draw for itself is told, and the other way round", () => {
    assert.deepEqual(judged(together, "independent").faults, [
      "of multicasts 10.00 % are lost to two receivers at once instead of 1.00 %",
    ]);
    assert.deepEqual(judged(apart, "independent").faults, []);
    assert.deepEqual(judged(apart, "shared").faults, [
      "of multicasts 0.50 % are lost to two receivers at once instead of 10.00 %",
    ]);
  });

  test("nothing lost, or too much", () => {
    assert.deepEqual(judged(() => [], "independent").faults, [
      "of multicasts 0.00 % are lost to a receiver instead of 10.00 %",
    ]);
    assert.match(
      judged((n) => (n % 4 === 0 ? [1, 2, 3, 4] : []), "shared").faults[0] ?? "",
      /^of .* 25\.00 % are/,
    );
  });

  test("of two machines nobody can miss it together", () => {
    const two = judgeMulticast(
      [{ from: 0, missed: Array.from({ length: 100 }, (_, n) => (n % 10 === 0 ? [1] : [])) }],
      MACHINES.slice(0, 2),
      lossy,
      "shared",
    );
    assert.deepEqual([two.together, two.faults], [null, []]);
  });

  test("what two ways lose together: the least of both where shared, the product where not", () => {
    assert.equal(bothLose(0.1, 0.3, "shared"), 0.1);
    near(bothLose(0.1, 0.3, "independent"), 0.03);
    // A twentieth for all; of what is left each loses the rest of its tenth.
    near(bothLose(0.1, 0.1, 0.05), 0.05 + 0.95 * (0.05 / 0.95) ** 2);
    near(bothLose(0.02, 0.1, 0.05), 0.02);
  });
});
