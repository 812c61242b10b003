// lane: works, 3 s
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CLAIMS } from "./catalog.ts";
import { byLabel, overN } from "./over-n.ts";
import { Lab, type LiveLab } from "./lab.ts";
import { sampleOf } from "./sample.ts";
import { delayOfLeS, messagesOfLeS } from "./subjects.ts";
import { textBelievers } from "./text-believers.ts";

const signal = new AbortController().signal;
const options = { quick: true, signal, progress: () => {} };
const lab = new Lab(options);
const NAMED = { name: "test", title: "", caption: "", yAxis: "" };
class Few extends Lab {
  override get sizes(): readonly number[] {
    return [2, 10];
  }
}

const few = new Few(options);

suite("claims on announce-listen elections", () => {
  test("each has a name of its own, says what is claimed, and what is right", () => {
    assert.equal(new Set(CLAIMS.map(({ name }) => name)).size, CLAIMS.length);
    assert.ok(CLAIMS.every(({ says, verdict }) => says.endsWith(".") && verdict.endsWith(".")));
  });

  test("groups in virtual time agree with the right formula, and refute what is printed", async () => {
    const { checks, numbers, figures } = await overN(few, {
      ...NAMED,
      subjects: [messagesOfLeS(0.4, "shared", 0)],
      checks: (all) => [
        { what: "found", holds: byLabel(all, "LE-S, 40 % lost, shared").points.length === 2 },
      ],
    });
    assert.deepEqual(
      checks.map(({ holds }) => holds),
      [true, true, true],
    );
    assert.equal(numbers.rows.length, 2);
    assert.equal(figures[0]?.table.columns.length, 6);
  });

  test("a wrong formula is found out", async () => {
    const wrong = { ...messagesOfLeS(0, "shared", 0), formula: (members: number) => members / 2 };
    const { checks } = await overN(few, {
      ...NAMED,
      subjects: [wrong],
      checks: () => [],
    });
    assert.deepEqual(checks, [
      { what: "LE-S, no loss: every N agrees with the formula, not at N = 2, 10", holds: false },
    ]);
  });

  test("real members are held against the formula too, with what machines may add", async () => {
    const live = (late: number): LiveLab => ({
      sizes: [5],
      runs: 2,
      begin: () => {
        const sample = sampleOf([0.5 + late, 0.5 + late]);
        const [first, last] = [sample, sample];
        return Promise.resolve({ delay: sample, inSuppress: sample, untilLatched: sample, first, last });
      },
    });
    const found = async (late: number): Promise<boolean | undefined> => {
      const { checks } = await overN(new Few({ ...options, live: live(late) }), {
        ...NAMED,
        subjects: [delayOfLeS(0, "shared", 0)],
        checks: () => [],
      });
      return checks.find(({ what }) => what === "LE-S, no loss: so do real members")?.holds;
    };
    assert.deepEqual([await found(0.001), await found(0.01)], [true, false]);
  });

  test("who believes to lead in the first round", async () => {
    const { checks } = await textBelievers.test(lab);
    assert.ok(checks.length === 16 && checks.every(({ holds }) => holds), JSON.stringify(checks));
  });
});
