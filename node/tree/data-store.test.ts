// Values lie side by side in slabs: none may ever touch another.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DataStore } from "./data-store.ts";

test("what is put is what is got, whatever else is put and freed meanwhile", () => {
  const length = fc.oneof(fc.nat(300), fc.nat(5000), fc.constantFrom(16_383, 16_384, 16_385, 40_000));
  fc.assert(
    fc.property(fc.array(fc.tuple(length, fc.boolean()), { maxLength: 200 }), (steps) => {
      const store = new DataStore();
      const held: { handle: number; value: Uint8Array }[] = [];
      steps.forEach(([size, frees], index) => {
        if (frees && held.length > 0) {
          const [gone] = held.splice(size % held.length, 1);
          if (gone !== undefined) store.free(gone.handle, gone.value.length);
          return;
        }
        const value = new Uint8Array(size).fill(index + 1);
        held.push({ handle: store.put(value), value });
      });
      for (const { handle, value } of held) assert.deepEqual(store.get(handle, value.length), value);
    }),
  );
});
