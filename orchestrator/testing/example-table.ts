/**
 * How the test of a property is told: histories that have it, histories that lack it, and the words of each
 * reason that is given then: no others, so that a check does not cry at what stands beside.
 */

import assert from "node:assert/strict";
import test, { suite } from "node:test";
import type { History } from "../check/history.ts";
import { PROPERTIES, type Property } from "../check/property.ts";

export interface Examples {
  readonly good: Readonly<Record<string, History>>;
  readonly bad: Readonly<Record<string, readonly [History, RegExp]>>;
  /** How many operations stand behind a finding. */
  readonly looked?: Readonly<Record<string, readonly [History, number]>>;
}

export function tell(property: Property, { good, bad, looked = {} }: Examples): void {
  const check = PROPERTIES[property];
  suite(property, () => {
    for (const [title, history] of Object.entries(good)) {
      test(title, () => {
        const { judgement, operations, reasons } = check(history);
        assert.deepEqual([judgement, reasons], ["valid", []]);
        assert.ok(operations > 0);
      });
    }
    for (const [title, [history, reason]] of Object.entries(bad)) {
      test(`not so: ${title}`, () => {
        const { judgement, reasons } = check(history);
        assert.equal(judgement, "invalid");
        assert.ok(reasons.length > 0);
        for (const each of reasons) assert.match(each, reason);
      });
    }
    for (const [title, [history, count]] of Object.entries(looked)) {
      test(`looked at: ${title}`, () => assert.equal(check(history).operations, count));
    }
    test("not so: nothing happened", () => {
      assert.deepEqual(check([]).reasons, ["vacuous"]);
    });
  });
}
