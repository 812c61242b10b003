import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fifo } from "./fifo.ts";

test("whatever is done to it, it is the queue that an array is", () => {
  const deed = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("push" as const), item: fc.nat() }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("shift" as const), times: fc.nat(150) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("many" as const), times: fc.nat(300) }) },
    fc.record({ kind: fc.constant("unshift" as const), items: fc.array(fc.nat(), { maxLength: 5 }) }),
    fc.record({ kind: fc.constant("take" as const) }),
  );
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 60 }), (deeds) => {
      const fifo = new Fifo<number>();
      let model: number[] = [];
      for (const each of deeds) {
        if (each.kind === "push") {
          fifo.push(each.item);
          model.push(each.item);
        } else if (each.kind === "many") {
          for (let item = 0; item < each.times; item++) {
            fifo.push(item);
            model.push(item);
          }
        } else if (each.kind === "shift") {
          for (let count = 0; count < each.times; count++) assert.equal(fifo.shift(), model.shift());
        } else if (each.kind === "unshift") {
          fifo.unshift(each.items);
          model = [...each.items, ...model];
        } else {
          assert.deepEqual(fifo.take(), model);
          model = [];
        }
        assert.equal(fifo.length, model.length);
        assert.equal(fifo.at(0), model[0]);
        assert.equal(fifo.at(model.length - 1), model.at(-1));
      }
    }),
  );
});
