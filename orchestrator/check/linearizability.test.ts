import assert from "node:assert/strict";
import test, { suite } from "node:test";
import fc from "fast-check";
import { create, type How, read, remove, write } from "../testing/example.ts";
import { linearize, type Model, type Span } from "./linearizability.ts";
import { ABSENT, type ZnodeOperation, type ZnodeState, znodeModel } from "./znode-order.ts";

const BUDGET = 1_000_000;

const spansOf = (operations: readonly ZnodeOperation[]): Span<ZnodeOperation>[] =>
  operations.map((operation) => ({
    invoked: operation.invoked,
    completed: operation.outcome === "unknown" ? null : operation.completed,
    operation,
  }));

/**
 * Tries every order of every choice of the uncertain ones: right by inspection, and hopeless beyond seven
 * operations.
 */
function obvious<S, O>(
  spans: readonly Span<O>[],
  model: Model<S, O>,
  state = model.initial,
  left = spans,
): boolean {
  if (left.every(({ completed }) => completed === null)) return true;
  return left.some((first) => {
    const others = left.filter((other) => other !== first);
    if (others.some(({ completed }) => completed !== null && completed < first.invoked)) return false;
    const next = model.apply(state, first.operation);
    return next !== null && obvious(spans, model, next, others);
  });
}

/** Any operation at all, on few values and versions and on intervals that overlap often. */
const anything: fc.Arbitrary<ZnodeOperation> = fc
  .record({
    kind: fc.constantFrom("create", "write", "swap", "remove", "read", "miss"),
    value: fc.constantFrom("a", "b"),
    version: fc.integer({ min: 0, max: 2 }),
    invoked: fc.integer({ min: 0, max: 12 }),
    length: fc.integer({ min: 0, max: 6 }),
    unknown: fc.boolean(),
  })
  .map(({ kind, value, version, invoked, length, unknown }) => {
    const how: How = { at: [invoked, invoked + length], unknown };
    const certain: How = { at: [invoked, invoked + length] };
    if (kind === "create") return create(value, how);
    if (kind === "write") return write(value, unknown ? null : version, how);
    if (kind === "swap") return write(value, null, { ...how, expected: version });
    if (kind === "remove") return remove(how);
    return kind === "miss" ? read(null, 0, certain) : read(value, version, certain);
  });

/**
 * What clients would see if each operation took effect at one moment, and its interval lay somewhere around
 * it.
 */
const lived: fc.Arbitrary<ZnodeOperation[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom("create", "write", "write", "remove", "read", "read"),
      before: fc.integer({ min: 0, max: 40 }),
      later: fc.integer({ min: 0, max: 40 }),
      unknown: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((plan) => {
    let state: ZnodeState = ABSENT;
    return plan.map(({ kind, before, later, unknown }, index) => {
      const moment = 10 * index;
      const how: How = { at: [moment - before, moment + later], unknown: unknown && kind !== "read" };
      const there = state.version >= 0;
      const value = `v${index}`;
      if (kind === "read") {
        return there ? read(state.value, state.version, how) : read(null, 0, how);
      }
      if (kind === "create") {
        if (there) return create(value, { at: [moment - before, moment + later], failure: "exists" });
        state = { value, version: 0 };
        return create(value, how);
      }
      if (!there) return remove({ at: [moment - before, moment + later], failure: "absent" });
      if (kind === "remove") {
        state = ABSENT;
        return remove(how);
      }
      state = { value, version: state.version + 1 };
      return write(value, how.unknown === true ? null : state.version, how);
    });
  });

suite("the search", () => {
  test("finds an order exactly when trying all of them does", () => {
    const seen = { linearizable: 0, impossible: 0, exhausted: 0 };
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 6 }), (operations) => {
        const { kind } = linearize(spansOf(operations), znodeModel, BUDGET);
        seen[kind] += 1;
        assert.equal(kind === "linearizable", obvious(spansOf(operations), znodeModel));
      }),
      { numRuns: 3000 },
    );
    assert.ok(seen.linearizable > 100 && seen.impossible > 100, JSON.stringify(seen));
  });

  test("believes every history that was lived, and its order is one that the model goes along with", () => {
    fc.assert(
      fc.property(lived, (operations) => {
        const answer = linearize(spansOf(operations), znodeModel, BUDGET);
        assert.ok(answer.kind === "linearizable");
        let state: ZnodeState | null = ABSENT;
        for (const operation of answer.order) {
          assert.ok(state !== null);
          state = znodeModel.apply(state, operation);
        }
        assert.notEqual(state, null);
      }),
      { numRuns: 500 },
    );
  });

  test("believes no lived history in which one read shows what nobody wrote", () => {
    fc.assert(
      fc.property(lived, fc.nat(), (operations, which) => {
        const reads = operations.filter(({ kind }) => kind === "read");
        const lie = reads[which % Math.max(reads.length, 1)];
        fc.pre(lie !== undefined);
        const lied = operations.map((operation) =>
          operation === lie ? read("never", 1, { at: [lie.invoked, lie.completed] }) : operation,
        );
        assert.equal(linearize(spansOf(lied), znodeModel, BUDGET).kind, "impossible");
      }),
      { numRuns: 300 },
    );
  });

  test("names the operation that nothing leads past", () => {
    const stale = read("a", 0, { at: [4, 5] });
    const answer = linearize(
      spansOf([create("a"), write("b", 1, { at: [2, 3] }), stale]),
      znodeModel,
      BUDGET,
    );
    assert.ok(answer.kind === "impossible");
    assert.equal(answer.stuck, stale);
  });

  test("says that it does not know when its budget is spent, the same way every time", () => {
    const many = Array.from({ length: 12 }, (_, index) => write(`v${index}`, null, { at: [2, 99] }));
    const hard = spansOf([create("a"), ...many, read("never", 12, { at: [100, 101] })]);
    assert.deepEqual(linearize(hard, znodeModel, 500), { kind: "exhausted", steps: 500 });
    assert.equal(linearize(hard, znodeModel, BUDGET).kind, "impossible");
  });

  test("takes about a step an operation when few run at once, however many there are", () => {
    const long = [create("v0"), ...Array.from({ length: 20_000 }, (_, i) => beside(i + 1))];
    const answer = linearize(spansOf(long), znodeModel, BUDGET);
    assert.equal(answer.kind, "linearizable");
    assert.ok(answer.steps < 3 * long.length, `${answer.steps} steps`);
  });
});

/** Write number `n`, running beside the two before and after it. */
const beside = (n: number): ZnodeOperation => write(`v${n}`, n, { at: [10 * n - 12, 10 * n + 12] });
